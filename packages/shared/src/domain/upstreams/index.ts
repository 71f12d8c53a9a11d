export { type BflFamily, getBflFamily, readBflImageField } from './bfl.js';
export { BUILT_IN_CAPABILITIES } from './built-in-capabilities.js';
export * from './capabilities.js';
export {
  type ChosenProviders,
  chooseProviders,
  type ProviderChoice,
  type SandboxServes,
} from './choose-providers.js';
export { IMAGE_PLACEHOLDERS, PLACEHOLDER } from './comfyui.js';
export { computeFingerprint } from './compute-fingerprint.js';
export { createKeyReader, type ReadKeys } from './create-key-reader.js';
export { isFirstQwen } from './dashscope.js';
export { findKeyFault } from './find-key-fault.js';
export { type ImageField, parseImageField } from './image-field.js';
export { readJsonPath } from './json-path.js';
export { describeKey, type KeyName, listLastFours, nameKey } from './name-key.js';
export type { ModelEnd, RouteFault, TokenRequest, TokenStep, UpstreamDescription } from './protocol.js';
export {
  getProtocolFields,
  PROTOCOLS,
  PROVIDER_NAMES,
  type Protocol,
  type ProviderName,
} from './provider-name.js';
export { readImageField } from './replicate.js';
export { getEncryptionKeyId, type KeyPlace, openKeys, type SealedKeys, sealKeys } from './seal-keys.js';
export { splitKeys } from './split-keys.js';
export {
  checkTaskSettings,
  createTaskAuthorization,
  describeAbilities,
  listPlaceholders,
  resolveTaskApi,
} from './task-api.js';
export {
  TASK_ERROR_CLASSES,
  TASK_PLACEHOLDER,
  TASK_PRESET_NAMES,
  type TaskApi,
  type TaskErrorClass,
  type TaskPlaceholder,
  type TaskSettings,
  type TaskTemplate,
  type TaskUpload,
} from './task-settings.js';
export {
  type ConfiguredUpstream,
  configureUpstream,
  describeUpstream,
  type UpstreamSettings,
  upstreamSettings,
} from './upstream-settings.js';
export { UPSTREAMS, type UpstreamName } from './upstreams.js';
export { MACHINE_HOST, readToken } from './vertex.js';
