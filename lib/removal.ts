import { RemovalPolicy } from "aws-cdk-lib";
import type { Settings } from "./settings.ts";

/**
 * What holds data outlives its stack unless the operator says otherwise. A creation that fails is
 * rolled back whole: there is nothing in it yet to keep.
 */
export const removalPolicy = (settings: Settings): RemovalPolicy =>
  settings.removalPolicy === "destroy" ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN_ON_UPDATE_OR_DELETE;
