import { Modal, Text } from '@mantine/core'
import { t } from '../../i18n/t.ts'
import { useShortcutGroups } from '../../ui/shortcuts.ts'
import { KeyNames } from './key-names.tsx'
import { screenFirst } from './palette-items.ts'
import css from './shell.module.css'

/** Every shortcut of the present screen and of the window, by group. */
export function ShortcutSheet({ onClose }: { onClose: () => void }) {
  const groups = screenFirst(useShortcutGroups())
  return (
    <Modal opened onClose={onClose} title={t('ui.shell.sheet.title')} size={760}>
      <Text c="dimmed" size="sm" mb="md">
        {t('ui.shell.sheet.about')}
      </Text>
      <div className={css.sheet}>
        {groups.map(({ group, shortcuts }) => (
          <section key={group} aria-label={group}>
            <h3 className={css.sheetGroup}>{group}</h3>
            <dl className={css.sheetKeys}>
              {shortcuts.map(({ keys, name }) => (
                <div key={`${keys} ${name}`}>
                  <dt>{name}</dt>
                  <dd>
                    <KeyNames keys={keys} />
                  </dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
      </div>
    </Modal>
  )
}
