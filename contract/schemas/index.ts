/** Every schema of the contract. `components` are those that the API document names. */
import * as agents from "./agents.ts";
import * as apiKeys from "./api-keys.ts";
import * as common from "./common.ts";
import * as connections from "./connections.ts";
import * as content from "./content.ts";
import * as environments from "./environments.ts";
import * as events from "./events.ts";
import * as files from "./files.ts";
import * as inputs from "./inputs.ts";
import * as modelKeys from "./model-keys.ts";
import * as runs from "./runs.ts";
import * as sessions from "./sessions.ts";
import * as stream from "./stream.ts";
import * as toolCalls from "./tool-calls.ts";
import * as toolResults from "./tool-results.ts";
import * as tools from "./tools.ts";
import * as usage from "./usage.ts";

export * from "./agents.ts";
export * from "./api-keys.ts";
export * from "./common.ts";
export * from "./connections.ts";
export * from "./content.ts";
export * from "./environments.ts";
export * from "./events.ts";
export * from "./files.ts";
export * from "./inputs.ts";
export * from "./model-keys.ts";
export * from "./runs.ts";
export * from "./sessions.ts";
export * from "./stream.ts";
export * from "./tool-calls.ts";
export * from "./tool-results.ts";
export * from "./tools.ts";

/** Name in the API document -> schema. */
export const components = {
  CreateModelApiKey: modelKeys.CreateModelApiKey,
  ModelApiKey: modelKeys.ModelApiKey,
  ModelApiKeyList: modelKeys.ModelApiKeyList,
  CreateApiKey: apiKeys.CreateApiKey,
  ApiKey: apiKeys.ApiKey,
  CreatedApiKey: apiKeys.CreatedApiKey,
  ApiKeyList: apiKeys.ApiKeyList,
  UpdateAgent: agents.UpdateAgent,
  TextContent: content.TextContent,
  FileContent: content.FileContent,
  ImageContent: content.ImageContent,
  Content: content.Content,
  ErrorDetail: common.ErrorDetail,
  Error: common.ErrorEnvelope,
  ConnectionGrant: connections.ConnectionGrant,
  InlineConnectionGrant: connections.InlineConnectionGrant,
  SessionConnectionConfig: connections.SessionConnectionConfig,
  AgentConfig: agents.AgentConfig,
  CreateAgent: agents.CreateAgent,
  CreateAgentVersion: agents.CreateAgentVersion,
  Agent: agents.Agent,
  AgentVersion: agents.AgentVersion,
  AgentSelection: agents.AgentSelection,
  ResolvedAgent: agents.ResolvedAgent,
  NetworkPolicy: environments.NetworkPolicy,
  NoEnvironment: environments.NoEnvironment,
  SandboxEnvironment: environments.SandboxEnvironment,
  Environment: environments.Environment,
  ReasoningEffort: inputs.ReasoningEffort,
  InitialInput: inputs.InitialInput,
  CreateSession: sessions.CreateSession,
  Session: sessions.Session,
  SendInput: inputs.SendInput,
  Input: inputs.Input,
  AssistantMessage: runs.AssistantMessage,
  RunFailure: runs.RunFailure,
  Run: runs.Run,
  StopRun: runs.StopRun,
  ToolCall: toolCalls.ToolCall,
  CreateConnection: connections.CreateConnection,
  Connection: connections.Connection,
  FileMetadata: files.FileMetadata,
  UploadedFileMetadata: files.UploadedFileMetadata,
  OutputFileMetadata: files.OutputFileMetadata,
  File: files.File,
  UploadFile: files.UploadFile,
  SessionCreatedEvent: events.SessionCreatedEvent,
  InputAcceptedEvent: events.InputAcceptedEvent,
  InputAppliedEvent: events.InputAppliedEvent,
  InputCancelledEvent: events.InputCancelledEvent,
  RunStartedEvent: events.RunStartedEvent,
  RunCompletedEvent: events.RunCompletedEvent,
  RunFailedEvent: events.RunFailedEvent,
  RunInterruptedEvent: events.RunInterruptedEvent,
  RunStoppedEvent: events.RunStoppedEvent,
  SessionUpdatedEvent: events.SessionUpdatedEvent,
  SessionArchivedEvent: events.SessionArchivedEvent,
  MessageCompletedEvent: events.MessageCompletedEvent,
  ToolStartedEvent: events.ToolStartedEvent,
  ToolCompletedEvent: events.ToolCompletedEvent,
  ToolFailedEvent: events.ToolFailedEvent,
  SandboxProvisionedEvent: events.SandboxProvisionedEvent,
  SandboxLostEvent: events.SandboxLostEvent,
  OutputFileCreatedEvent: events.OutputFileCreatedEvent,
  Event: events.Event,
  MessageDelta: stream.MessageDelta,
  SSECommittedEvent: stream.SSECommittedEvent,
  SSEMessageDelta: stream.SSEMessageDelta,
  StreamItem: stream.StreamItem,
  AgentList: agents.AgentList,
  ConnectionList: connections.ConnectionList,
  SessionList: sessions.SessionList,
  InputList: inputs.InputList,
  RunList: runs.RunList,
  RunUsage: usage.RunUsage,
  UsageList: usage.UsageList,
  EventList: events.EventList,
  OutputFileList: files.OutputFileList,
  SecretHeaders: connections.SecretHeaders,
  ReplaceConnectionCredentials: connections.ReplaceConnectionCredentials,
  SubjectId: common.SubjectId,
  SessionConnectionBinding: connections.SessionConnectionBinding,
  BuiltinTool: tools.BuiltinTool,
  ApplyPatchArguments: tools.ApplyPatchArguments,
  ApplyPatchResult: tools.ApplyPatchResult,
  ViewImageArguments: tools.ViewImageArguments,
  ViewImageResult: tools.ViewImageResult,
  ShellArguments: tools.ShellArguments,
  ShellResult: tools.ShellResult,
  FunctionTool: tools.FunctionTool,
  AgentTool: tools.AgentTool,
  PendingToolCall: toolCalls.PendingToolCall,
  ToolResultError: toolResults.ToolResultError,
  SuccessfulToolResult: toolResults.SuccessfulToolResult,
  FailedToolResult: toolResults.FailedToolResult,
  ToolResult: toolResults.ToolResult,
  SubmitToolResults: toolResults.SubmitToolResults,
  ToolResultsReceipt: toolResults.ToolResultsReceipt,
  ToolRequestedEvent: events.ToolRequestedEvent,
  ToolCancelledEvent: events.ToolCancelledEvent,
  ApplicationResultCall: toolResults.ApplicationResultCall,
} as const;
