/** Recorded shapes that are no answers, or whose vendor's total is not ours: each with the reason. A hole that closes must leave this list. */

export const ANSWER_HOLES: Readonly<Record<string, string>> = {
  'generate-083': 'an error body',
  'generate-091':
    'enum words as numbers, which only `$alt=json;enum-encoding=int` asks for; no host of ours is asked so',
  'chat-010': 'an error body inside a 200 (D8)',
  'chat-098': 'a transcription, no chat completion',
  'chat-105': "an echo of a test server's own making",
  'chat-106': 'a transcription, no chat completion',
  'chat-117': 'an error body',
  'responses-083': 'a chat completion in a folder of Responses',
  'responses-092': 'an error body',
  'responses-099': 'a status word that no vendor sends: the recording was edited by hand',
  'responses-108': 'an error body',
  'responses-122': 'queued for the background, which is refused before the call',
};

export const STREAM_HOLES: Readonly<Record<string, string>> = {
  'messages-001': 'a second answer in the middle of the stream (D19)',
  'generate-126': 'no frame at all: a refusal with status 400',
  'chat-012': 'an error in the middle of the stream (D16)',
  'chat-014': 'an error in the middle of the stream (D17)',
  'responses-136': 'chat completion chunks in a folder of Responses',
  'responses-146': 'an error event',
  'responses-162': 'frames that are no JSON: the recording was edited by hand',
};

/** The vendor's total counts something else than what is charged. */
export const USAGE_HOLES: Readonly<Record<string, string>> = {
  'messages-001': 'the usage of the second answer is not reported: the stream failed (D19)',
  'responses-136': 'chat completion chunks in a folder of Responses',
};
