import { Button, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconKey, IconPrinter } from '@tabler/icons-react'
import { useEffect } from 'react'
import { dashboardSetup } from '#shared/contract/dashboard-setup.ts'
import type { ReplyOf } from '#shared/operation.ts'
import { faultsByField } from '../../api/client.ts'
import { useSend } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { dayText } from '../../format/dates.ts'
import { t } from '../../i18n/t.ts'
import { Copy } from '../../ui/copy.tsx'
import { ErrorNotice, Panel } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import css from './setup.module.css'
import type { StepProps } from './step.ts'

const RECOVER_COMMAND = 'npm run -s gateway -- recover --data DIR --recovery-key-stdin'
const NOTICES = {
  none: {
    tone: 'info',
    title: () => t('ui.setup.recovery.none'),
    text: t('ui.setup.recovery.noneText'),
  },
  ready: {
    tone: 'good',
    title: (day: string) => t('ui.setup.recovery.ready', { day }),
    text: t('ui.setup.recovery.readyText'),
  },
  foreign: {
    tone: 'danger',
    title: () => t('ui.setup.recovery.foreign'),
    text: t('ui.setup.recovery.foreignText'),
  },
} as const

/** Makes the recovery key, shows it once, and puts it in force when two groups of it were typed. */
export function RecoveryStep({ state: { recovery } }: Pick<StepProps, 'state'>) {
  const make = useSend(dashboardSetup.makeRecoveryKey)
  const { tone, title, text } = NOTICES[recovery.state]
  if (make.data) return <ShownRecoveryKey made={make.data} onEnd={make.reset} />
  return (
    <Stack>
      <Notice tone={tone} title={title(dayText(recovery.madeAt?.slice(0, 10) ?? ''))}>
        {text}
      </Notice>
      {make.error && <ErrorNotice error={make.error} />}
      <Group>
        <Button
          variant={recovery.state === 'ready' ? 'default' : 'filled'}
          leftSection={<IconKey size={16} />}
          loading={make.isPending}
          onClick={() => make.mutate({})}
        >
          {recovery.state === 'none' ? t('ui.setup.recovery.make') : t('ui.setup.recovery.again')}
        </Button>
      </Group>
    </Stack>
  )
}

function ShownRecoveryKey({
  made,
  onEnd,
}: {
  made: ReplyOf<typeof dashboardSetup.makeRecoveryKey>
  onEnd: () => void
}) {
  const { recoveryKey, asked } = made
  const confirm = useSend(dashboardSetup.confirmRecoveryKey, [
    dashboardSetup.state,
    dashboardSetup.readiness,
  ])
  const form = useForm({ initialValues: { groups: asked.map(() => '') } })
  const clinicName = useSession().data?.clinicName
  useEffect(() => {
    document.body.dataset.sheet = 'recovery'
    return () => {
      delete document.body.dataset.sheet
    }
  }, [])
  const submit = form.onSubmit(({ groups }) =>
    confirm.mutate(
      { body: { groups } },
      { onSuccess: onEnd, onError: (error) => form.setErrors(faultsByField(error)) },
    ),
  )
  const groups = <KeyGroups recoveryKey={recoveryKey} />
  return (
    <>
      <Panel
        title={t('ui.setup.recovery.shown')}
        aside={
          <Group gap={6}>
            <Copy value={recoveryKey} what={t('ui.setup.recovery.what')} />
            <Button
              variant="default"
              size="xs"
              leftSection={<IconPrinter size={15} />}
              onClick={() => window.print()}
            >
              {t('ui.setup.recovery.print')}
            </Button>
          </Group>
        }
      >
        <Stack>
          <Text>{t('ui.setup.recovery.shownText')}</Text>
          {groups}
          <form onSubmit={submit} autoComplete="off">
            <Stack gap="sm">
              <Text fw={560}>{t('ui.setup.recovery.confirm')}</Text>
              <Group align="flex-start">
                {asked.map((group, at) => (
                  <TextInput
                    key={group}
                    label={t('ui.setup.recovery.group', { number: group + 1 })}
                    w={150}
                    maxLength={8}
                    required
                    withAsterisk={false}
                    spellCheck={false}
                    styles={{
                      input: {
                        fontFamily: 'var(--mono)',
                        textTransform: 'uppercase',
                        letterSpacing: '0.1em',
                      },
                    }}
                    {...form.getInputProps(`groups.${at}`)}
                  />
                ))}
              </Group>
              {confirm.error && confirm.error.errors.length === 0 && (
                <ErrorNotice error={confirm.error} />
              )}
              <Group>
                <Button type="submit" loading={confirm.isPending}>
                  {t('ui.setup.recovery.confirmAction')}
                </Button>
                <Button variant="subtle" onClick={onEnd}>
                  {t('ui.setup.recovery.cancel')}
                </Button>
              </Group>
            </Stack>
          </form>
        </Stack>
      </Panel>
      <div className={css.sheet} aria-hidden="true">
        <h1>{t('ui.setup.recovery.sheet')}</h1>
        <p>
          {clinicName} · {dayText(new Date().toISOString().slice(0, 10))}
        </p>
        {groups}
        <p>{t('ui.setup.recovery.sheetText')}</p>
        <p>{t('ui.setup.recovery.sheetUse')}</p>
        <p className="mono">{RECOVER_COMMAND}</p>
      </div>
    </>
  )
}

function KeyGroups({ recoveryKey }: { recoveryKey: string }) {
  return (
    <ol className={css.key} aria-label={t('ui.setup.recovery.keyLabel')}>
      {recoveryKey.split('-').map((group, at) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: the place of a group is what it is.
        <li key={at}>{group}</li>
      ))}
    </ol>
  )
}
