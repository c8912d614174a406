import { malformedXml, notImplemented } from "./errors.ts";

/** Markup that is already escaped. */
export type Xml = { readonly markup: string };

/** One element; text is escaped, lists are joined. */
export function element(name: string, content: string | number | boolean | Xml | readonly Xml[]): Xml {
  const inner = Array.isArray(content)
    ? content.map((part: Xml) => part.markup).join("")
    : typeof content === "object" && "markup" in content
      ? content.markup
      : escapeText(String(content));
  return { markup: `<${name}>${inner}</${name}>` };
}

/** A whole document with S3's namespace on the root. */
export function xmlDocument(name: string, content: readonly Xml[], namespaced = true): string {
  const namespace = namespaced ? ' xmlns="http://s3.amazonaws.com/doc/2006-03-01/"' : "";
  const inner = content.map((part) => part.markup).join("");
  return `<?xml version="1.0" encoding="UTF-8"?>\n<${name}${namespace}>${inner}</${name}>`;
}

/** The body of a DeleteObjects request. Throws `MalformedXML`, or `NotImplemented` for anything but keys. */
export function parseDelete(text: string): { readonly keys: readonly string[]; readonly quiet: boolean } {
  const root = /^\s*(?:<\?xml[^>]*\?>)?\s*<Delete(?:\s[^>]*)?>([\s\S]*)<\/Delete>\s*$/.exec(text)?.[1];
  if (root === undefined) throw malformedXml();
  const keys: string[] = [];
  let quiet = false;
  for (const { name, content } of children(root)) {
    if (name === "Quiet") quiet = content.trim() === "true";
    else if (name === "Object") keys.push(parseKey(content));
    else throw malformedXml();
  }
  return { keys, quiet };
}

function parseKey(content: string): string {
  let key = "";
  for (const child of children(content)) {
    if (child.name !== "Key") throw notImplemented(`${child.name} in a DeleteObjects request`);
    key = unescapeText(child.content);
  }
  if (key === "") throw malformedXml();
  return key;
}

/** The elements directly inside a piece of markup; text between them is refused. */
function children(markup: string): { readonly name: string; readonly content: string }[] {
  const found: { name: string; content: string }[] = [];
  const rest = markup.replace(/<([A-Za-z]+)>([\s\S]*?)<\/\1>/g, (_, name: string, content: string) => {
    found.push({ name, content });
    return "";
  });
  if (rest.trim() !== "") throw malformedXml();
  return found;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'" };

function escapeText(text: string): string {
  return text.replace(/[&<>"\p{Cc}]/gu, (character) => {
    const name = Object.entries(ENTITIES).find(([, value]) => value === character)?.[0];
    return name === undefined ? `&#${character.charCodeAt(0)};` : `&${name};`;
  });
}

function unescapeText(text: string): string {
  return text.replace(
    /&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi,
    (_, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return ENTITIES[name] ?? refuseEntity();
      const point = decimal === undefined ? Number.parseInt(hex ?? "", 16) : Number(decimal);
      return point <= 0x10ffff ? String.fromCodePoint(point) : refuseEntity();
    },
  );
}

function refuseEntity(): never {
  throw malformedXml();
}
