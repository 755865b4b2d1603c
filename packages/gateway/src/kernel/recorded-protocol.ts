/**
 * Protocol names in records, sums, metrics and traces. Responses is called below the paths of chat, with the same
 * rights, but counted separately.
 */
import { PROTOCOL_NAMES, type ProtocolName } from '@trivium/protocol/canonical';

const RESPONSES = { protocol: 'responses', dialect: 'openai-responses' } as const;

export const RECORDED_PROTOCOLS = [...PROTOCOL_NAMES, RESPONSES.protocol] as const;
export type RecordedProtocol = (typeof RECORDED_PROTOCOLS)[number];

export const recordedProtocol = (protocol: ProtocolName, dialect: string | undefined): RecordedProtocol =>
  dialect === RESPONSES.dialect ? RESPONSES.protocol : protocol;
