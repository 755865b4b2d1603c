/** New requests as they end. At most four repaints a second; above 30 rows a second some are left out, and the page says so. */
import { useEffect, useRef, useState, useSyncExternalStore } from 'react';
import { openStream } from './live-stream.ts';
import { queryText, type Row, type Source } from './source.ts';

const REPAINT_MS = 250;
const MAX_PER_REPAINT = 8;
const MAX_KEPT = 2000;

export type Live = {
  /** The newest first. */
  readonly rows: readonly Row[];
  readonly state: 'off' | 'connecting' | 'on' | 'lost';
  /** Some rows were left out: there were too many. */
  readonly isSampled: boolean;
};

const NOTHING: Live = { rows: [], state: 'off', isSampled: false };

/** A hidden tab keeps no stream open: browsers allow few connections per host. */
function useIsVisible(): boolean {
  return useSyncExternalStore(
    (listener) => {
      document.addEventListener('visibilitychange', listener);
      return () => document.removeEventListener('visibilitychange', listener);
    },
    () => document.visibilityState === 'visible',
  );
}

export function useLive(source: Source, isWanted: boolean): Live {
  const isVisible = useIsVisible();
  const isOn = isWanted && isVisible;
  const [live, setLive] = useState(NOTHING);
  const waiting = useRef<Row[]>([]);
  const shownOf = useRef<string>(undefined);
  const { path, filters } = source;
  const address = `${path}/live${queryText(filters)}`;
  useEffect(() => {
    // Paused, what has come stays; the list is asked again when the stream is back.
    const isPause = !isOn && shownOf.current === address;
    setLive((before) => (isPause ? { ...before, state: 'off' } : { ...NOTHING, state: isOn ? 'connecting' : 'off' }));
    if (!isOn) return;
    shownOf.current = address;
    waiting.current = [];
    let isSampled = false;
    const endStream = openStream(address, {
      onOpen: () => setLive((before) => ({ ...before, state: 'on' })),
      onLost: () => setLive((before) => ({ ...before, state: 'lost' })),
      on: {
        row: (data) => void waiting.current.push(JSON.parse(data) as Row),
        gap: () => {
          isSampled = true;
        },
      },
    });
    const timer = setInterval(() => {
      const fresh = waiting.current.splice(0);
      if (fresh.length === 0) return;
      const shown = fresh.length > MAX_PER_REPAINT ? fresh.slice(-MAX_PER_REPAINT) : fresh;
      isSampled = isSampled || shown.length < fresh.length;
      setLive((before) => ({
        ...before,
        isSampled,
        rows: [...shown.toReversed(), ...before.rows].slice(0, MAX_KEPT),
      }));
    }, REPAINT_MS);
    return () => {
      endStream();
      clearInterval(timer);
    };
  }, [address, isOn]);
  return live;
}
