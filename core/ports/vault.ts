/** Seals secrets at rest. `context` is bound to the sealed text: opening with another one fails. */
export type Vault = {
  seal(secret: string, context: Readonly<Record<string, string>>): Promise<string>;
  open(sealed: string, context: Readonly<Record<string, string>>): Promise<string>;
};
