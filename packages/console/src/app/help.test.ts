import { isValidElement, type ReactNode } from 'react';
import { expect, test } from 'vitest';
import { Help } from './help.tsx';
import { SECTIONS } from './pages.ts';

const textOf = (node: ReactNode): string => {
  if (Array.isArray(node)) return node.map(textOf).join(' ');
  if (isValidElement<{ children?: ReactNode }>(node)) return textOf(node.props.children);
  return typeof node === 'string' ? node : '';
};

test('shortcuts are listed for the pages that the role may see', () => {
  const text = textOf(Help({ onClose: () => undefined, sections: SECTIONS.filter(({ role }) => role === 'viewer') }));
  expect(text).toContain('Usage');
  expect(text).not.toContain('Providers');
});
