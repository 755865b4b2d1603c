/** `?`: what the keyboard does. */
import { msg, t } from '../i18n/t.ts';
import { Dialog } from '../parts/base/dialog.tsx';
import type { Section } from './pages.ts';
import styles from './shell.module.css';

const KEYS: readonly (readonly [key: string, what: string])[] = [
  ['Ctrl K', msg('Search and commands')],
  ['/', msg('Filter')],
  ['j  k', msg('Next and previous row')],
  ['Enter', msg('Look at the row')],
  ['Shift Enter', msg('Open the row as a page')],
  ['Esc', msg('Close, back')],
  ['[  ]', msg('Newer and older request')],
  ['t', msg('Range')],
  ['.', msg('Live on and off')],
  ['y', msg('Copy a link with fixed times')],
  ['c', msg('Copy as curl')],
  ['1 – 4', msg('Tabs')],
  ['?', msg('This list')],
];

type HelpProps = { readonly onClose: () => void; readonly sections: readonly Section[] };

export const Help = ({ onClose, sections }: HelpProps) => (
  <Dialog title={t('Keyboard shortcuts')} isOpen onClose={onClose}>
    <dl className={styles['keys']}>
      {[...KEYS, ...sections.map(({ key, label }) => [`g  ${key}`, label] as const)].map(([key, what]) => (
        <div key={key}>
          <dt>
            {key.split('  ').map((each) => (
              <kbd key={each}>{each}</kbd>
            ))}
          </dt>
          <dd>{t(what)}</dd>
        </div>
      ))}
    </dl>
  </Dialog>
);
