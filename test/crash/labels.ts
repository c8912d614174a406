import * as z from "zod";

const Options = z.object({
  port: z.coerce.string(),
  method: z.string(),
  path: z.string(),
  headers: z.record(z.string(), z.unknown()),
});
const Key = z.object({ sk: z.object({ S: z.string() }) });
const Written = z.object({ Item: Key.optional(), Key: Key.optional() });
const Log = z.object({ Put: z.object({ Item: z.object({ events: z.object({ S: z.string() }) }) }) });
const Transaction = z.object({ TransactItems: z.array(z.unknown()) });
const Events = z.array(z.object({ type: z.string() }));

type Service = "DYNAMODB" | "S3" | "SFN";

/** Names a request of an SDK client by what it writes, once its body is known. Null: a read, or not to a service. */
export function labelOf(given: unknown): ((body: unknown) => string) | null {
  const options = Options.safeParse(given).data;
  if (options === undefined) return null;
  const target = String(options.headers["x-amz-target"] ?? options.headers["X-Amz-Target"] ?? "");
  const operation = target.replace(/^.*\./, "");
  if (isAt(options.port, "S3")) {
    return options.method === "GET" || options.method === "HEAD" ? null : () => s3Label(options);
  }
  if (isAt(options.port, "SFN")) return isTold(operation) ? () => operation : null;
  if (isAt(options.port, "DYNAMODB"))
    return isWritten(operation) ? (body) => tableLabel(operation, body) : null;
  return null;
}

/** The environment names the services' endpoints, as the stack has set them. */
const isAt = (port: string, service: Service): boolean =>
  new URL(process.env[`AWS_ENDPOINT_URL_${service}`] ?? "http://none").port === port;

const isTold = (operation: string) => operation === "StartExecution" || operation === "SendTaskSuccess";
const isWritten = (operation: string) =>
  /^(?:Put|Update|Delete|TransactWrite|BatchWrite)Item/.test(operation);

/** `put <first folder of a kind>`, such as `put bodies`. */
function s3Label({ method, path }: z.infer<typeof Options>): string {
  const [, kind = ""] = /(transcript|bodies|configs|answers)\//.exec(path) ?? [];
  return `${method.toLowerCase()} ${kind}`.trim();
}

/** `commit <types of its events>`, or the operation and what kind of item it writes. */
function tableLabel(operation: string, body: unknown): string {
  const request: unknown = JSON.parse(String(body));
  const events = Transaction.safeParse(request).data?.TransactItems.flatMap((item) => {
    const log = Log.safeParse(item).data;
    return log === undefined ? [] : Events.parse(JSON.parse(log.Put.Item.events.S));
  });
  if (events !== undefined && events.length > 0) {
    return `commit ${[...new Set(events.map(({ type }) => type))].join("+")}`;
  }
  const { Item, Key: key } = Written.safeParse(request).data ?? {};
  const kind = (Item ?? key)?.sk.S.replace(/#.*$/, "") ?? "";
  return `${operation} ${kind}`.trim();
}

const Request = z.object({ httpMethod: z.string(), path: z.string() });

/** `invoke <function>`; for a request to the API also what it is to. Null: it reads. */
export function invocationLabel(name: string, event: unknown): string | null {
  if (name !== "api") return `invoke ${name}`;
  const request = Request.safeParse(event).data;
  if (request === undefined || request.httpMethod === "GET") return null;
  return `invoke api ${request.path.replace(/^.*\//, "")}`;
}
