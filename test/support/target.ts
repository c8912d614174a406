import { laptop as laptopsOwn } from "../../contract/laptop.ts";
import { offlineRespond } from "../../local/model/offline.ts";
import type { Respond } from "../../local/model/reply.ts";
import { type ModelServer, startModelServer } from "../../local/model/server.ts";
import { type Backend, backend } from "./api.ts";
import { type Laptop, type LaptopOptions, startLaptop } from "./laptop.ts";

const deployed = process.env["STEPYARD_TEST_URL"];

/**
 * False where `STEPYARD_TEST_URL` names a deployed stack, its `/v1` included. That stack asks an offline
 * model, and the tests can neither script it nor look inside.
 */
export const onLaptop = deployed === undefined;

/**
 * The bearer of a dashboard session of the first project. A stack on AWS has none, since operators sign their
 * requests there; `STEPYARD_TEST_DASHBOARD` gives that of a laptop that `STEPYARD_TEST_URL` names.
 */
const dashboard: string | null = onLaptop
  ? laptopsOwn.dashboard
  : (process.env["STEPYARD_TEST_DASHBOARD"] ?? null);

/** False over a deployed stack, which cannot pass these tests; says so, and why. */
export function laptopCan(what: string, why: string): boolean {
  if (!onLaptop) console.warn(`skipped: ${what}: the stack is deployed, and ${why}`);
  return onLaptop;
}

/** False where there is no dashboard session, which these tests need; says so. */
export function operatorCan(what: string): boolean {
  if (dashboard === null)
    console.warn(`skipped: ${what}: STEPYARD_TEST_DASHBOARD names no dashboard session`);
  return dashboard !== null;
}

/** A stack under test and two projects of it that share nothing. */
export type Target = {
  readonly api: Backend;
  readonly other: Backend;
  /** Null where there is no dashboard session. */
  readonly operator: Backend | null;
  /** Null where the stack is deployed. */
  readonly laptop: Laptop | null;
  /** The model that the laptop asks. */
  readonly model: ModelServer | null;
  readonly close: () => Promise<void>;
};

export type TargetOptions = Omit<LaptopOptions, "model"> & {
  /** Answers the laptop's model requests; the offline model unless given. */
  readonly respond?: Respond;
};

/** The deployed stack that the environment names, or else a laptop of its own. */
export async function target(options: TargetOptions = {}): Promise<Target> {
  return deployed === undefined ? onThisMachine(options) : elsewhere(deployed);
}

async function onThisMachine({ respond = offlineRespond, ...options }: TargetOptions): Promise<Target> {
  const model = await startModelServer({ respond, keep: 1_000 });
  try {
    const laptop = await startLaptop({ ...options, model });
    return {
      api: backend(laptop.url, "dev-key"),
      other: backend(laptop.url, "dev-key-other"),
      operator: dashboard === null ? null : backend(laptop.url, dashboard),
      laptop,
      model,
      close: async () => {
        await laptop.stop();
        await model.close();
      },
    };
  } catch (error) {
    await model.close();
    throw error;
  }
}

function elsewhere(url: string): Target {
  const key = process.env["STEPYARD_TEST_KEY"];
  const otherKey = process.env["STEPYARD_TEST_KEY_OTHER"];
  if (key === undefined || otherKey === undefined) {
    throw new Error(
      "Set STEPYARD_TEST_KEY and STEPYARD_TEST_KEY_OTHER to keys of two projects of the stack.",
    );
  }
  return {
    api: backend(url, key),
    other: backend(url, otherKey),
    operator: dashboard === null ? null : backend(url, dashboard),
    laptop: null,
    model: null,
    close: async () => undefined,
  };
}

/** The dashboard session of a target. For tests that are skipped where there is none. */
export function operatorOf({ operator }: Target): Backend {
  if (operator === null) throw new Error("This test needs a dashboard session; skip it where there is none.");
  return operator;
}

/** The laptop of a target. For tests that run on a laptop only. */
export function laptopOf({ laptop }: Target): Laptop {
  if (laptop === null)
    throw new Error("This test looks inside a laptop; skip it where the stack is deployed.");
  return laptop;
}
