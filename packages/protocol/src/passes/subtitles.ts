/** Subtitles from the times of what was said, as SubRip or WebVTT. */
import type { SpokenSegment } from '../canonical/sound.ts';

const MS = 1000;
const PER = 60;

function clock(seconds: number, comma: string): string {
  const ms = Math.max(0, Math.round(seconds * MS));
  const [whole, rest] = [Math.floor(ms / MS), ms % MS];
  const [hours, minutes, last] = [Math.floor(whole / PER / PER), Math.floor(whole / PER) % PER, whole % PER];
  const two = (part: number): string => String(part).padStart(2, '0');
  return `${two(hours)}:${two(minutes)}:${two(last)}${comma}${String(rest).padStart(3, '0')}`;
}

/** A line of its own, without what would end a cue or begin another. */
const lineOf = (text: string, form: 'srt' | 'vtt'): string => {
  const line = text.trim().replaceAll(/\s+/g, ' ');
  const safe = form === 'vtt' ? line.replaceAll('&', '&amp;').replaceAll('<', '&lt;') : line;
  return safe.replaceAll('-->', '->');
};

export function subtitles(segments: readonly SpokenSegment[], form: 'srt' | 'vtt'): string {
  const comma = form === 'srt' ? ',' : '.';
  const cues = segments.map(({ start, end, text, speaker }, index) => {
    const time = `${clock(start, comma)} --> ${clock(Math.max(start, end), comma)}`;
    const line = lineOf(speaker === undefined ? text : `${speaker}: ${text}`, form);
    return `${form === 'srt' ? `${index + 1}\n` : ''}${time}\n${line}\n\n`;
  });
  return form === 'srt' ? cues.join('') : `WEBVTT\n\n${cues.join('')}`;
}
