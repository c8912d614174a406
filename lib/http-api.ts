import { Duration, RemovalPolicy, Stack } from "aws-cdk-lib";
import {
  AuthorizationType,
  EndpointType,
  type Integration,
  LambdaIntegration,
  LogGroupLogDestination,
  MethodLoggingLevel,
  ResponseTransferMode,
  RestApi,
  type Stage,
} from "aws-cdk-lib/aws-apigateway";
import type { Function as LambdaFunction } from "aws-cdk-lib/aws-lambda";
import { LogGroup } from "aws-cdk-lib/aws-logs";
import { Construct } from "constructs";
import { env } from "../contract/env.ts";
import { accessLog } from "./access-log.ts";
import type { BlobBucket } from "./bucket.ts";
import { handler } from "./function.ts";
import { addGatewayResponses } from "./gateway-responses.ts";
import { accept } from "./nag.ts";
import type { Runs } from "./runs.ts";
import type { Settings } from "./settings.ts";
import type { SessionTable } from "./table.ts";
import type { Vault } from "./vault.ts";

export type HttpApiProps = {
  readonly settings: Settings;
  readonly table: SessionTable;
  readonly blobs: BlobBucket;
  readonly vault: Vault;
  readonly runs: Runs;
};

/** The stage is no version: paths keep their `/v1` on a custom domain as well. */
export const stageName = "api";

/** The path of the one route that streams, below `/v1`. */
const streamPath = "sessions/{session_id}/events/stream";

type Root = {
  /** Everything below it that no other route takes goes to `api`. */
  readonly catchAll: string;
  readonly version: string;
  readonly authorizationType: AuthorizationType;
};

/** Functions tell the roots apart by `requestContext.identity.userArn`, which only a signed request has. */
const roots: readonly Root[] = [
  { catchAll: "v1", version: "v1", authorizationType: AuthorizationType.NONE },
  { catchAll: "aws", version: "aws/v1", authorizationType: AuthorizationType.IAM },
];

/** API Gateway's limit for an answer in one piece. */
const apiTimeout = Duration.seconds(29);
/** Lambda's and API Gateway's limit for a streamed answer; `stream` ends it on purpose before. */
const streamTimeout = Duration.minutes(15);

/**
 * The HTTP API: `/v1` for backends, which our code authenticates by their API key, and the same routes
 * under `/aws/v1` for operators, whom API Gateway authenticates by their AWS credentials.
 */
export class HttpApi extends Construct {
  /** Ends in `/v1`. */
  readonly baseUrl: string;
  /** Ends in `/aws/v1`; needs requests signed with AWS credentials. */
  readonly operatorUrl: string;
  readonly stage: Stage;
  readonly functions: Readonly<Record<"api" | "stream", LambdaFunction>>;
  /** One line a request. */
  readonly accessLogs: LogGroup;
  /** What failed between API Gateway and a function. */
  readonly errorLogs: LogGroup;

  constructor(scope: Construct, id: string, props: HttpApiProps) {
    super(scope, id);
    this.accessLogs = this.logGroup("AccessLogs", props.settings);
    const api = this.restApi(props.settings, this.accessLogs);
    this.stage = api.deploymentStage;
    // API Gateway writes its errors to a log group of this name and would create it without an end.
    const errorLogs = `API-Gateway-Execution-Logs_${api.restApiId}/${stageName}`;
    this.errorLogs = this.logGroup("ErrorLogs", props.settings, errorLogs);
    this.stage.node.addDependency(this.errorLogs);
    this.functions = { api: this.apiHandler(props), stream: this.streamHandler(props) };
    addGatewayResponses(api);
    const buffered = new LambdaIntegration(this.functions.api, {
      allowTestInvoke: false,
      timeout: apiTimeout,
    });
    const streamed = new LambdaIntegration(this.functions.stream, {
      allowTestInvoke: false,
      timeout: streamTimeout,
      responseTransferMode: ResponseTransferMode.STREAM,
    });
    for (const root of roots) addRoutes(api, root, buffered, streamed);
    this.baseUrl = api.urlForPath("/v1");
    this.operatorUrl = api.urlForPath("/aws/v1");
  }

  private restApi(settings: Settings, accessLogs: LogGroup): RestApi {
    const name = Stack.of(this).stackName;
    const api = new RestApi(this, "RestApi", {
      restApiName: name,
      description: "Sessions, runs, inputs and their events",
      endpointTypes: [EndpointType.REGIONAL],
      // As text, a body would be decoded on the way: what is no UTF-8 would come as other characters.
      binaryMediaTypes: ["*/*"],
      cloudWatchRole: settings.gatewayLogRole,
      deployOptions: {
        stageName,
        accessLogDestination: new LogGroupLogDestination(accessLogs),
        accessLogFormat: accessLog,
        // What fails between API Gateway and a function is seen nowhere else. No headers, no bodies.
        loggingLevel: MethodLoggingLevel.ERROR,
        dataTraceEnabled: false,
        tracingEnabled: true,
        throttlingRateLimit: settings.throttleRate,
        throttlingBurstLimit: settings.throttleBurst,
      },
    });
    // The stack's own outputs name both roots.
    api.node.tryRemoveChild("Endpoint");
    acceptGatewayRules(api);
    return api;
  }

  private logGroup(id: string, settings: Settings, logGroupName?: string): LogGroup {
    return new LogGroup(this, id, {
      ...(logGroupName === undefined ? {} : { logGroupName }),
      retention: settings.logRetentionDays,
      removalPolicy: RemovalPolicy.DESTROY,
    });
  }

  private apiHandler({ settings, table, blobs, vault, runs }: HttpApiProps): LambdaFunction {
    const fn = handler(this, "api", {
      description: "Answers every request but event streams",
      memorySize: 512,
      timeout: apiTimeout,
      settings,
    });
    setOperatorProject(fn, settings);
    table.bind(fn, "readWrite");
    blobs.bind(fn, "readWrite", ["sessions", "agents", "answers"]);
    blobs.bindErasure(fn);
    vault.bindSeal(fn);
    runs.bind(fn, ["start", "wake"]);
    return fn;
  }

  private streamHandler({ settings, table, blobs }: HttpApiProps): LambdaFunction {
    const fn = handler(this, "stream", {
      description: "Streams the events of a session",
      memorySize: 256,
      timeout: streamTimeout,
      settings,
    });
    setOperatorProject(fn, settings);
    table.bind(fn, "watch");
    blobs.bind(fn, "read", ["sessions", "agents"]);
    return fn;
  }
}

const setOperatorProject = (fn: LambdaFunction, { operatorProject }: Settings): void => {
  if (operatorProject !== undefined) fn.addEnvironment(env.operatorProject, operatorProject);
};

/** One root: `catchAll/{proxy+}` to one function, the stream below `version` to the other. */
const addRoutes = (api: RestApi, root: Root, buffered: Integration, streamed: Integration): void => {
  const { authorizationType } = root;
  api.root
    .resourceForPath(root.catchAll)
    .addProxy({ defaultIntegration: buffered, defaultMethodOptions: { authorizationType } });
  api.root.resourceForPath(`${root.version}/${streamPath}`).addMethod("GET", streamed, { authorizationType });
};

const acceptGatewayRules = (api: RestApi): void => {
  accept(
    api,
    "APIG2",
    "Requests are validated by the functions, which answer with the API's own error codes.",
  );
  accept(
    api,
    "APIG3",
    "A web ACL has a fixed price a month; an operator who wants one attaches it to the stage.",
  );
  accept(
    api,
    "APIG4",
    "Routes under /v1 are authenticated by the functions: an API key is a row of the table.",
  );
  accept(api, "COG4", "Backends have API keys and operators AWS credentials; there is no user pool.");
  accept(
    api,
    "IAM4[Policy::arn:<AWS::Partition>:iam::aws:policy/service-role/AmazonAPIGatewayPushToCloudWatchLogs]",
    "The policy that API Gateway documents for the role it logs through.",
  );
};
