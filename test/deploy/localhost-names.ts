/** Loaded before a program: names below `localhost` are loopback to it, as they are to browsers and few resolvers. */
import dns from "node:dns";

const { lookup } = dns;
const named = (name: string, ...rest: unknown[]): unknown =>
  Reflect.apply(lookup, dns, [name.endsWith(".localhost") ? "127.0.0.1" : name, ...rest]);
dns.lookup = Object.assign(named, lookup) as typeof lookup;
