import { Modal, Switch, Text, Title } from '@mantine/core'
import { t } from '../i18n/t.ts'
import { AT_ONCE } from './desk.ts'
import { useBench, useDesk } from './desk-context.ts'
import { type Command, KEYS, type KeyGroup, keyText } from './key-map.ts'
import css from './sheet.module.css'

const GROUPS = [
  'images',
  'panes',
  'tools',
  'windows',
  'picture',
  'screen',
] as const satisfies readonly KeyGroup[]
const MOUSE_ROWS = [0, 1, 2, 3, 4, 5] as const

/** Every key, on one sheet. */
export function Sheet() {
  const { desk } = useBench()
  const isOpen = useDesk((state) => state.isSheetOpen)
  const hasLetterKeys = useDesk((state) => state.hasLetterKeys)
  return (
    <Modal
      opened={isOpen}
      onClose={() => desk.set({ isSheetOpen: false })}
      title={t('ui.viewer.sheet.title')}
      size="72rem"
      transitionProps={AT_ONCE}
    >
      <Text c="dimmed" fz="sm" mb="md">
        {t('ui.viewer.sheet.about')}
      </Text>
      <div className={css.groups}>
        {GROUPS.map((group) => (
          <section key={group}>
            <Title order={3}>{t(`ui.viewer.sheet.groups.${group}`)}</Title>
            <dl className={css.keys}>
              {commandsOf(group).map((command) => (
                <div key={command}>
                  <dt>
                    <kbd className={css.key}>{keyText(command)}</kbd>
                  </dt>
                  <dd>{t(`ui.viewer.commands.${command}`)}</dd>
                </div>
              ))}
            </dl>
          </section>
        ))}
        <section>
          <Title order={3}>{t('ui.viewer.sheet.mouse')}</Title>
          <dl className={css.keys}>
            {MOUSE_ROWS.map((row) => (
              <div key={row}>
                <dt className={css.how}>{t(`ui.viewer.sheet.mouseRows.${row}.label`)}</dt>
                <dd>{t(`ui.viewer.sheet.mouseRows.${row}.description`)}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
      <Switch
        mt="lg"
        label={t('ui.viewer.sheet.single')}
        description={t('ui.viewer.sheet.singleMeaning')}
        checked={hasLetterKeys}
        onChange={(event) => desk.set({ hasLetterKeys: event.currentTarget.checked })}
      />
    </Modal>
  )
}

const commandsOf = (group: KeyGroup): readonly Command[] => [
  ...new Set(
    KEYS.filter((key) => key.group === group && key.press !== '').map(({ command }) => command),
  ),
]
