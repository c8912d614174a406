/** Where a session's shell and file tools work. */
import * as z from "zod";
import { uniqueArray } from "./common.ts";

export const NetworkPolicy = z
  .strictObject({
    // Any text fits: what is not an exact hostname is the operation's `invalid_network_policy`.
    allowed_hosts: uniqueArray(z.string().min(1)).default([]),
  })
  .describe("Exact public hostnames that the sandbox may reach over HTTP and HTTPS; none unless listed.");
export type NetworkPolicy = z.infer<typeof NetworkPolicy>;

export const NoEnvironment = z.strictObject({ type: z.literal("none") }).describe("No sandbox.");
export type NoEnvironment = z.infer<typeof NoEnvironment>;

export const SandboxEnvironment = z
  .strictObject({
    type: z.literal("sandbox"),
    // Any text fits: what is not `managed-default` is the operation's `unsupported_image`.
    image: z.string().default("managed-default"),
    network: NetworkPolicy.default({ allowed_hosts: [] }),
  })
  .describe("A sandbox, made when first needed and never made again once lost.");
export type SandboxEnvironment = z.infer<typeof SandboxEnvironment>;

export const Environment = z
  .discriminatedUnion("type", [NoEnvironment, SandboxEnvironment])
  .describe("A sandbox, or none.");
export type Environment = z.infer<typeof Environment>;
