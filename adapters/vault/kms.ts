import { DecryptCommand, GenerateDataKeyCommand, type KMSClient } from "@aws-sdk/client-kms";
import type { Vault } from "../../core/ports/vault.ts";
import { openWith, parseSealed, sealWith } from "./box.ts";

/** Envelope encryption: a data key of its own for each secret, wrapped by the KMS key and bound to the context. */
export function createKmsVault(options: { readonly client: KMSClient; readonly keyId: string }): Vault {
  const { client, keyId: KeyId } = options;
  return {
    seal: async (secret, context) => {
      const EncryptionContext = { ...context };
      const data = await client.send(
        new GenerateDataKeyCommand({ KeyId, KeySpec: "AES_256", EncryptionContext }),
      );
      if (data.Plaintext === undefined || data.CiphertextBlob === undefined)
        throw new Error("KMS gave no data key");
      const key = Buffer.from(data.CiphertextBlob).toString("base64url");
      const sealed = JSON.stringify({ ...sealWith(data.Plaintext, secret, context), key });
      data.Plaintext.fill(0);
      return sealed;
    },
    open: async (text, context) => {
      const sealed = parseSealed(text);
      const CiphertextBlob = Buffer.from(sealed.key ?? "", "base64url");
      const EncryptionContext = { ...context };
      const { Plaintext } = await client.send(
        new DecryptCommand({ KeyId, CiphertextBlob, EncryptionContext }),
      );
      if (Plaintext === undefined) throw new Error("KMS gave no data key");
      return openWith(Plaintext, sealed, context);
    },
  };
}
