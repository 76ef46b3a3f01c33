import { SegmentedControl, Stack, Text, useMantineColorScheme } from '@mantine/core'
import { t } from '../../i18n/t.ts'
import { LanguageChoice } from '../../ui/language-choice.tsx'
import { Panel } from '../../ui/page.tsx'
import css from './account.module.css'

const SCHEMES = ['light', 'dark', 'auto'] as const

/** What is chosen for this PC, not for the account. */
export function WindowPreferencesPanel() {
  const { colorScheme, setColorScheme } = useMantineColorScheme()
  return (
    <Panel title={t('ui.account.window')}>
      <Stack>
        <div className={css.row}>
          <Text fw={500}>{t('ui.account.language')}</Text>
          <LanguageChoice size="sm" />
        </div>
        <Text size="sm" c="dimmed" mt={-8}>
          {t('ui.account.languageAbout')}
        </Text>
        <div className={css.row}>
          <Text fw={500}>{t('ui.account.colours')}</Text>
          <SegmentedControl
            size="sm"
            aria-label={t('ui.account.colours')}
            value={colorScheme}
            onChange={(scheme) => setColorScheme(scheme as (typeof SCHEMES)[number])}
            data={SCHEMES.map((scheme) => ({
              value: scheme,
              label: t(`ui.account.schemes.${scheme}`),
            }))}
          />
        </div>
      </Stack>
    </Panel>
  )
}
