import http, { type ClientRequest } from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { labelOf } from "./labels.ts";
import type { Manner } from "./points.ts";
import type { Stand } from "./stand.ts";

type End = (...given: unknown[]) => ClientRequest;

/** Stands at every write that an SDK client sends, and at every request to a model. */
export function standAtRequests(stand: Stand): void {
  const send = http.request;
  http.request = ((...args: Parameters<typeof send>): ClientRequest => {
    const sent = send(...args);
    const label = labelOf(args[0]);
    if (label === null) return sent;
    const end = sent.end.bind(sent) as End;
    const atEnd: End = (...given) => {
      const { when, manner } = stand.at(label(given[0]));
      if (when === "before") stand.powerCut();
      if (when === "after") sent.prependOnceListener("response", stand.powerCut);
      if (manner === null) return end(...given);
      twin(send(...args), manner, given, () => end(...given));
      return sent;
    };
    sent.end = atEnd as typeof sent.end;
    return sent;
  }) as typeof send;
  syncBuiltinESMExports();
  standAtModels(stand);
}

/** The same request once more, with nobody who reads its answer. */
function twin(request: ClientRequest, manner: Manner, given: unknown[], go: () => void): void {
  request.on("error", () => undefined);
  request.on("response", (response) => {
    response.resume();
    if (manner === "after another") response.once("end", go);
  });
  (request.end as End)(...given);
  if (manner === "at once") go();
}

function standAtModels(stand: Stand): void {
  const ask = globalThis.fetch;
  globalThis.fetch = async (...args) => {
    const [input] = args;
    const { pathname } = new URL(input instanceof Request ? input.url : input);
    const when = /\/(?:responses|messages)$/.test(pathname) ? stand.at("ask model").when : null;
    if (when === "before") stand.powerCut();
    const answer = await ask(...args);
    if (when === "after") stand.powerCut();
    return answer;
  };
}
