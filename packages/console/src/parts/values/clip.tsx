/** A result that this gateway keeps, played from the console's own origin by its signed link; another's opens elsewhere. */
import { ExternalLink } from 'lucide-react';
import { t } from '../../i18n/t.ts';
import { buttonClass } from '../base/button.tsx';
import styles from './clip.module.css';

/** Our own links are paths, or addresses of the data plane with the same path. */
const KEPT = /^\/(?:[\w-]+\/)*blobs\//;

export function keptPath(link: string): string | undefined {
  const url = URL.parse(link, location.origin);
  return url !== null && KEPT.test(url.pathname) ? url.pathname + url.search : undefined;
}

export function Clip({ link, mime }: { readonly link: string; readonly mime: string }) {
  const path = keptPath(link);
  if (path !== undefined && mime.startsWith('video/'))
    return (
      // biome-ignore lint/a11y/useMediaCaption: what a model made has no captions
      <video className={styles['video']} src={path} controls preload="metadata" />
    );
  return (
    <a className={buttonClass()} href={path ?? link} target="_blank" rel="noreferrer">
      <ExternalLink size={14} />
      {t('Open the result')}
    </a>
  );
}
