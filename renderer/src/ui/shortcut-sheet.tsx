import { Modal, Text } from '@mantine/core'
import type { ReactNode } from 'react'
import { t } from '../i18n/t.ts'
import { KeyNames } from './key-names.tsx'
import css from './shortcuts.module.css'
import { type Shortcut, useShortcutGroups } from './shortcuts.ts'

interface SheetProps {
  readonly opened: boolean
  readonly onClose: () => void
  readonly about?: string
  readonly size?: number
  /** After the groups of keys. */
  readonly more?: ReactNode
  /** Below the keys. */
  readonly children?: ReactNode
}

/** Every registered shortcut, by group. */
export function ShortcutSheet({ about, size = 760, more, children, ...modal }: SheetProps) {
  const groups = useShortcutGroups()
  return (
    <Modal
      {...modal}
      title={t('ui.shell.sheet.title')}
      size={size}
      transitionProps={{ duration: 0 }}
    >
      <Text c="dimmed" size="sm" mb="md">
        {about ?? t('ui.shell.sheet.about')}
      </Text>
      <div className={css.sheet}>
        {groups.map(({ group, shortcuts }) => (
          <SheetGroup key={group} name={group}>
            <KeyRows shortcuts={shortcuts} />
          </SheetGroup>
        ))}
        {more}
      </div>
      {children}
    </Modal>
  )
}

/** A heading, and rows of `dt` and `dd`. */
export function SheetGroup({ name, children }: { name: string; children: ReactNode }) {
  return (
    <section aria-label={name}>
      <h3 className={css.group}>{name}</h3>
      <dl className={css.rows}>{children}</dl>
    </section>
  )
}

/** Names with all their keys, such as J and ↓; rows of a `dl`. */
export function KeyRows({ shortcuts }: { shortcuts: readonly Shortcut[] }) {
  const rows = Map.groupBy(shortcuts, ({ name }) => name)
  return [...rows].map(([name, group]) => (
    <div key={name}>
      <dt>{name}</dt>
      <dd>
        {group.map(({ keys }) => (
          <KeyNames key={keys} keys={keys} />
        ))}
      </dd>
    </div>
  ))
}
