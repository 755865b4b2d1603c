import { isValidElement, type ReactNode } from 'react';
import { expect, test } from 'vitest';
import { Menu } from './menu.tsx';

type Props = { readonly children?: ReactNode; readonly onSelect?: unknown };

function itemsIn(node: ReactNode): readonly Props[] {
  if (Array.isArray(node)) return node.flatMap(itemsIn);
  if (!isValidElement<Props>(node)) return [];
  return node.props.onSelect === undefined ? itemsIn(node.props.children) : [node.props];
}

test('screen readers hear which items are chosen, and which cannot be', () => {
  const item = { onSelect: () => undefined };
  const items = [
    { ...item, text: 'Light', isChosen: true },
    { ...item, text: 'Dark', isChosen: false },
    { ...item, text: 'Sign out' },
  ];
  const [light, dark, signOut] = itemsIn(Menu({ trigger: null, groups: [{ items }] }));
  expect(light).toMatchObject({ role: 'menuitemcheckbox', 'aria-checked': true });
  expect(dark).toMatchObject({ role: 'menuitemcheckbox', 'aria-checked': false });
  expect(signOut).not.toHaveProperty('aria-checked');
});
