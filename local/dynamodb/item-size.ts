import * as z from "zod";

/** Bytes of an item as DynamoDB counts them: names and values in UTF-8, numbers at about half their digits. */
export function itemSize(item: Readonly<Record<string, unknown>>): number {
  let size = 0;
  for (const [name, value] of Object.entries(item)) size += Buffer.byteLength(name) + valueSize(value);
  return size;
}

const valueSchema = z.record(z.string(), z.unknown());
const COLLECTION_BYTES = 3;

function valueSize(value: unknown): number {
  const parsed = valueSchema.safeParse(value);
  const [type, content] = (parsed.success ? Object.entries(parsed.data)[0] : undefined) ?? ["NULL", true];
  if (typeof content === "string") return scalarSize(type, content);
  if (Array.isArray(content)) return listSize(type, content);
  const map = type === "M" ? valueSchema.safeParse(content) : undefined;
  if (map?.success) return COLLECTION_BYTES + Object.keys(map.data).length + itemSize(map.data);
  return 1;
}

function scalarSize(type: string, content: string): number {
  if (type === "N") return Math.ceil(content.replace(/[-.]/g, "").length / 2) + 1;
  return type === "B" ? Buffer.byteLength(content, "base64") : Buffer.byteLength(content);
}

function listSize(type: string, content: readonly unknown[]): number {
  if (type !== "L")
    return content.reduce<number>((sum, member) => sum + scalarSize(type.slice(0, 1), String(member)), 0);
  return content.reduce<number>((sum, member) => sum + 1 + valueSize(member), COLLECTION_BYTES);
}
