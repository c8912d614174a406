/** The account of the laptop's ARNs. */
const ACCOUNT = "000000000000";

type ProxyEvent = {
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly requestContext: {
    readonly requestId: string;
    readonly path: string;
    readonly identity: { readonly userArn: string | null };
  };
};

const bearer = /^bearer +([^\s]+)$/i;

/** True for a request below `/v1` whose bearer is the dashboard session. */
export const isOperators = ({ path, headers }: ProxyEvent, dashboard: string): boolean =>
  /^\/v1(\/|$)/.test(path) && bearer.exec(headers["authorization"] ?? "")?.[1] === dashboard;

/**
 * The same request as API Gateway hands it on from the operators' root, where it has verified the signature
 * and tells whose it was. The bearer goes no further.
 */
export function asOperators<T extends ProxyEvent>(event: T) {
  const { authorization: _, ...headers } = event.headers;
  const path = `/aws${event.path}`;
  return {
    ...event,
    path,
    headers,
    requestContext: {
      ...event.requestContext,
      path,
      identity: {
        ...event.requestContext.identity,
        accountId: ACCOUNT,
        userArn: `arn:aws:iam::${ACCOUNT}:user/dashboard`,
      },
    },
  };
}
