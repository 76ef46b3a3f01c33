import { Button, Group, Select, Stack, TextInput } from '@mantine/core'
import { IconArrowRight } from '@tabler/icons-react'
import { useEffect, useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import { useSend } from '../../api/queries.ts'
import { clockText } from '../../format/dates.ts'
import { chooseLanguage, LANGUAGES, type Language, language, PSEUDO } from '../../i18n/language.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, Panel } from '../../ui/page.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'
import type { StepProps } from './step.ts'

const TICK_MS = 5000

/** Name, language and time zone. */
export function ClinicStep({ state, onNext }: StepProps) {
  const save = useSend(dashboard.changeSettings, [
    dashboardSetup.state,
    dashboard.session,
    dashboard.status,
    dashboard.settings,
  ])
  const { name, timeZone, ofThisPc } = state.clinic
  const { form, submit } = useContractForm({
    operation: dashboard.changeSettings,
    initialValues: { name, timeZone: timeZone === 'local' ? ofThisPc : timeZone },
    bodyOf: (values) => ({
      settings: { 'clinic.name': values.name.trim(), 'clinic.timeZone': values.timeZone },
    }),
    fieldOf: (path) => path.replace('settings.clinic.', ''),
    send: (body, onError) => save.mutate({ body }, { onSuccess: onNext, onError }),
  })
  return (
    <Panel>
      <form onSubmit={submit}>
        <Stack gap="md" maw={460}>
          <TextInput
            label={t('ui.setup.clinic.name.label')}
            description={t('ui.setup.clinic.name.description')}
            maxLength={64}
            required
            withAsterisk={false}
            {...form.getInputProps('name')}
          />
          <Select
            label={t('ui.setup.clinic.zone')}
            description={<CurrentTime zone={form.values.timeZone} />}
            data={zoneOptions(ofThisPc, form.values.timeZone)}
            searchable
            allowDeselect={false}
            nothingFoundMessage={t('ui.setup.clinic.nothing')}
            limit={200}
            {...form.getInputProps('timeZone')}
          />
          <Select
            label={t('ui.setup.clinic.language.label')}
            description={t('ui.setup.clinic.language.description')}
            data={Object.entries(LANGUAGES).map(([value, label]) => ({ value, label }))}
            value={language === PSEUDO ? 'en' : language}
            allowDeselect={false}
            onChange={(value) => value && value !== language && chooseLanguage(value as Language)}
          />
          {save.error && save.error.errors.length === 0 && <ErrorNotice error={save.error} />}
          <Group>
            <Button
              type="submit"
              loading={save.isPending}
              rightSection={<IconArrowRight size={16} />}
            >
              {t('ui.setup.clinic.save')}
            </Button>
          </Group>
        </Stack>
      </form>
    </Panel>
  )
}

/** The zone of the gateway's PC first: it is nearly always the one. */
function zoneOptions(ofThisPc: string, chosen: string) {
  const others = Intl.supportedValuesOf('timeZone').filter((zone) => zone !== ofThisPc)
  const first = [ofThisPc, ...(chosen !== ofThisPc && !others.includes(chosen) ? [chosen] : [])]
  return [...first, ...others].map((zone) => ({ value: zone, label: zone.replaceAll('_', ' ') }))
}

function CurrentTime({ zone }: { zone: string }) {
  const [now, setNow] = useState(() => new Date())
  useEffect(() => {
    const timer = setInterval(() => setNow(new Date()), TICK_MS)
    return () => clearInterval(timer)
  }, [])
  return (
    <span className="tabular">
      {t('ui.setup.clinic.now', { time: clockText(now.toISOString(), zone, now).slice(0, 5) })}
    </span>
  )
}
