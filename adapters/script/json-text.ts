/** How deep arrays and objects nest in this JSON text (`[]` is one level, `[[]]` two), and how many values it has. */
export function measure(json: string): { readonly depth: number; readonly values: number } {
  let depth = 0;
  let deepest = 0;
  let values = 1;
  let quoted = false;
  for (let index = 0; index < json.length; index += 1) {
    const char = json[index];
    if (quoted) {
      if (char === "\\") index += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === ",") values += 1;
    else if (char === "[" || char === "{") {
      values += 1;
      depth += 1;
      deepest = Math.max(deepest, depth);
    } else if (char === "]" || char === "}") depth -= 1;
  }
  return { depth: deepest, values };
}
