import { offlineRespond } from "../../../local/model/offline.ts";
import type { Respond } from "../../../local/model/reply.ts";
import { askForTrouble } from "./world.ts";

const twoCallsThenAWrongOne = `
const calls = [1, 2].map((id) => tools.get_customer({ customer_id: String(id) }));
await Promise.race(calls);
await tools.get_customer({ customer_id: 3 });`;

/** The offline model, but for one request that it would not get wrong by itself. */
export const respond: Respond = (call) =>
  call.lastUserText === askForTrouble ? { scripts: [twoCallsThenAWrongOne] } : offlineRespond(call);
