import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import * as z from "zod";
import { run } from "./commands.ts";
import { account, type Emulator, region } from "./emulator.ts";

const project = join(import.meta.dirname, "../..");

const Outputs = z.object({
  BaseUrl: z.url(),
  OperatorUrl: z.url(),
  TableName: z.string(),
  BucketName: z.string(),
  StateMachineArn: z.string(),
});
export type Outputs = z.infer<typeof Outputs>;

export type CdkOptions = {
  readonly emulator: Pick<Emulator, "env">;
  /** Where the assembly goes. */
  readonly place: string;
  readonly signal: AbortSignal;
};

/** The CDK's own commands, against the emulator. */
export function createCdk({ emulator, place, signal }: CdkOptions) {
  const assembly = join(place, "cdk.out");
  const outputs = join(place, "outputs.json");
  const path = [join(project, "node_modules/.bin"), dirname(process.execPath), process.env["PATH"]].join(":");
  const env = { ...emulator.env, PATH: path, TMPDIR: place, CDK_DISABLE_CLI_TELEMETRY: "true" };
  const cdk = (show: boolean, ...args: string[]) =>
    run(
      {
        command: join(project, "node_modules/.bin/cdk"),
        args: [...args, "--no-notices", "--ci"],
        cwd: project,
        env,
        signal,
      },
      show,
    );
  return {
    /** Synthesizes with these settings of the context. */
    synth: (context: Readonly<Record<string, string>>) => {
      const settings = Object.entries(context).flatMap(([name, value]) => ["-c", `${name}=${value}`]);
      return cdk(false, "synth", "--quiet", "--output", assembly, ...settings);
    },
    bootstrap: () => cdk(false, "bootstrap", `aws://${account}/${region}`, "--app", assembly),
    deploy: async (): Promise<Outputs> => {
      const to = ["--outputs-file", outputs, "--require-approval", "never", "--progress", "bar"];
      await cdk(false, "deploy", "--app", assembly, ...to);
      const stacks = z.record(z.string(), Outputs).parse(JSON.parse(readFileSync(outputs, "utf8")));
      const [stack] = Object.values(stacks);
      if (stack === undefined) throw new Error("the deployed stack has no outputs");
      return stack;
    },
    destroy: () => cdk(false, "destroy", "--app", assembly, "--force"),
  };
}
