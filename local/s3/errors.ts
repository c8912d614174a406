/** A refusal in S3's own vocabulary: `status` and `code` as S3 sends them, `fields` become extra elements of the error document. */
export class S3Refusal extends Error {
  readonly status: number;
  readonly code: string;
  readonly fields: Readonly<Record<string, string>>;

  constructor(status: number, code: string, message: string, fields: Readonly<Record<string, string>> = {}) {
    super(message);
    this.name = "S3Refusal";
    this.status = status;
    this.code = code;
    this.fields = fields;
  }
}

export const noSuchKey = (key: string) =>
  new S3Refusal(404, "NoSuchKey", "The specified key does not exist.", { Key: key });

export const noSuchBucket = (bucket: string) =>
  new S3Refusal(404, "NoSuchBucket", "The specified bucket does not exist", { BucketName: bucket });

export const preconditionFailed = (condition: string) =>
  new S3Refusal(412, "PreconditionFailed", "At least one of the pre-conditions you specified did not hold", {
    Condition: condition,
  });

export const invalidRange = (range: string, size: number) =>
  new S3Refusal(416, "InvalidRange", "The requested range is not satisfiable", {
    RangeRequested: range,
    ActualObjectSize: String(size),
  });

export const badDigest = (what: string) =>
  new S3Refusal(400, "BadDigest", `The ${what} you specified did not match the calculated checksum.`);

export const incompleteBody = () =>
  new S3Refusal(
    400,
    "IncompleteBody",
    "The request body is not as long as its Content-Length or x-amz-decoded-content-length says",
  );

export const malformedTrailer = () =>
  new S3Refusal(400, "MalformedTrailerError", "The trailer of the body is not what x-amz-trailer announced");

export const entityTooLarge = (size: number, limit: number) =>
  new S3Refusal(400, "EntityTooLarge", "Your proposed upload exceeds the maximum allowed size", {
    ProposedSize: String(size),
    MaxSizeAllowed: String(limit),
  });

export const notImplemented = (what: string) =>
  new S3Refusal(501, "NotImplemented", `This local endpoint does not implement ${what}`, { Header: what });

export const invalidArgument = (name: string, message: string) =>
  new S3Refusal(400, "InvalidArgument", message, { ArgumentName: name });

export const invalidRequest = (message: string) => new S3Refusal(400, "InvalidRequest", message);

export const malformedXml = () =>
  new S3Refusal(400, "MalformedXML", "The XML you provided was not well-formed or did not validate");

export const accessDenied = (message: string) => new S3Refusal(403, "AccessDenied", message);
