import { App, type AppProps } from "aws-cdk-lib";
import { readSettings } from "./settings.ts";
import { StepyardStack } from "./stack.ts";

/** The app with its one stack. Settings come from the context: the CLI's, or what is given here. */
export const createApp = (props: AppProps = {}): { app: App; stack: StepyardStack } => {
  const app = new App({ analyticsReporting: false, ...props });
  const settings = readSettings(app.node);
  return { app, stack: new StepyardStack(app, settings.name, settings) };
};
