/** The registered video formats. A new one is one description, one fixture folder and one line here. */
import type { DialectId } from '../canonical/dialect-id.ts';
import { arkVideo } from './ark-video/index.ts';
import { dashscopeVideo } from './dashscope-video/index.ts';
import { falVideo } from './fal-video/index.ts';
import { googleOperations } from './google-operations/index.ts';
import { klingVideo } from './kling-video/index.ts';
import { minimaxVideo } from './minimax-video/index.ts';
import { openaiVideos } from './openai-videos/index.ts';
import type { VideoDialect } from './video-dialect.ts';
import { xaiVideo } from './xai-video/index.ts';

export const videoDialects: readonly VideoDialect[] = [
  googleOperations,
  arkVideo,
  dashscopeVideo,
  falVideo,
  klingVideo,
  minimaxVideo,
  xaiVideo,
  openaiVideos,
];

const byId: ReadonlyMap<string, VideoDialect> = new Map(videoDialects.map((dialect) => [dialect.id, dialect]));

export const findVideoDialect = (id: DialectId | string): VideoDialect | undefined => byId.get(id);
