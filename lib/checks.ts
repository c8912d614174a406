import { type App, Validations } from "aws-cdk-lib";
import { AwsSolutionsChecks } from "cdk-nag";

/** Makes synthesis fail on a finding of AwsSolutions that no construct accepts with a reason. */
export const addChecks = (app: App): void => Validations.of(app).addPlugins(new AwsSolutionsChecks());
