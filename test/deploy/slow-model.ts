import { setTimeout as sleep } from "node:timers/promises";
import { offlineRespond } from "../../local/model/offline.ts";
import type { Respond } from "../../local/model/reply.ts";

/** A text with these words is answered only after half a minute: time to do something to the run. */
export const takeYourTime = "Take your time.";
const SLOW_MS = 30_000;

/** The offline model, slow where the text asks for it. */
export const slowWhenAsked: Respond = async (call) => {
  if (call.lastUserText.includes(takeYourTime)) await sleep(SLOW_MS, undefined, { ref: false });
  return offlineRespond(call);
};
