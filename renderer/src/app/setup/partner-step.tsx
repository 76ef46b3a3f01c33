import { Button, Checkbox, Group, Stack, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { IconPlugConnected } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSetup, type SetupState } from '#shared/contract/dashboard-setup.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { faultsByField } from '../../api/client.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { Failed, Panel } from '../../ui/page.tsx'
import { Copyable, ShownOnce } from '../../ui/shown-once.tsx'
import { Notice } from '../../ui/tone.tsx'
import { PartnerTests } from './partner-tests.tsx'
import type { StepProps } from './step.ts'

const CHANGES = [
  dashboardSetup.state,
  dashboard.partner,
  dashboard.status,
  dashboardEvents.endpoints,
]
const SIMULATOR_PORT = 9090
/** The secret is pasted into it: other accounts of the PC can read the arguments of a process. */
const SIMULATOR_COMMAND = `npm run -s gateway -- simulator partner --port ${SIMULATOR_PORT} --secret-stdin`
const SIMULATOR_URL = `http://127.0.0.1:${SIMULATOR_PORT}/webhooks`

/** Something the person has to carry elsewhere before it is gone. */
interface Once {
  readonly secret: string
  readonly of: 'secret' | 'simulator'
}

/** Where the partner is, its secret, and a test of each event. */
export function PartnerStep({ state: { partner } }: Pick<StepProps, 'state'>) {
  const [isChanging, setChanging] = useState(false)
  const [once, setOnce] = useState<Once | null>(null)
  const isSimulator = once?.of === 'simulator'
  return (
    <Stack>
      {partner.url !== null && !isChanging ? (
        <>
          <Notice
            tone="good"
            title={t('ui.setup.partner.saved', { url: partner.url })}
            actions={
              <Button variant="default" size="xs" onClick={() => setChanging(true)}>
                {t('ui.setup.partner.change')}
              </Button>
            }
          />
          <PartnerTests partner={partner} />
        </>
      ) : (
        <Choose partner={partner} onSaved={setOnce} onEnd={() => setChanging(false)} />
      )}
      <ShownOnce
        value={isSimulator ? SIMULATOR_COMMAND : (once?.secret ?? null)}
        title={
          isSimulator ? t('ui.setup.partner.simulatorTitle') : t('ui.setup.partner.secretTitle')
        }
        about={isSimulator ? t('ui.setup.partner.simulatorText') : t('ui.setup.partner.secretText')}
        what={isSimulator ? t('ui.setup.partner.simulatorWhat') : t('ui.setup.partner.secretWhat')}
        done={isSimulator ? t('ui.setup.partner.simulatorDone') : t('ui.setup.partner.secretDone')}
        onClose={() => setOnce(null)}
      >
        {once?.of === 'simulator' && (
          <>
            <Text>{t('ui.setup.partner.simulatorSecretText')}</Text>
            <Copyable value={once.secret} what={t('ui.setup.partner.secretWhat')} />
          </>
        )}
      </ShownOnce>
    </Stack>
  )
}

function Choose(props: {
  partner: SetupState['partner']
  onSaved: (once: Once | null) => void
  onEnd: () => void
}) {
  const { partner, onSaved, onEnd } = props
  const save = useSend(dashboard.setPartner, CHANGES)
  const form = useForm({
    initialValues: {
      url: partner.url ?? '',
      allowPlaintext: partner.url?.startsWith('http:') ?? false,
    },
  })
  const submit = form.onSubmit(({ url, allowPlaintext }) =>
    save.mutate(
      { body: { url: url.trim(), allowPlaintext } },
      {
        onSuccess({ secret }) {
          onSaved(secret === null ? null : { secret, of: 'secret' })
          onEnd()
        },
        onError: (error) => form.setErrors(faultsByField(error)),
      },
    ),
  )
  const simulate = () => {
    const secret = newSecret()
    save.mutate(
      { body: { url: SIMULATOR_URL, secret, allowPlaintext: true } },
      {
        onSuccess() {
          onSaved({ secret, of: 'simulator' })
          onEnd()
        },
      },
    )
  }
  return (
    <>
      <Panel>
        <form onSubmit={submit}>
          <Stack gap="sm">
            <TextInput
              label={t('ui.setup.partner.url.label')}
              description={t('ui.setup.partner.url.description')}
              placeholder="https://"
              inputMode="url"
              required
              withAsterisk={false}
              {...form.getInputProps('url')}
            />
            <Checkbox
              label={t('ui.setup.partner.plaintext.label')}
              description={t('ui.setup.partner.plaintext.description')}
              {...form.getInputProps('allowPlaintext', { type: 'checkbox' })}
            />
            {save.error && save.error.errors.length === 0 && <Failed error={save.error} />}
            <Group>
              <Button type="submit" loading={save.isPending}>
                {t('ui.setup.partner.save')}
              </Button>
              {partner.url !== null && (
                <Button variant="subtle" onClick={onEnd}>
                  {t('ui.setup.partner.cancel')}
                </Button>
              )}
            </Group>
          </Stack>
        </form>
      </Panel>
      <Panel title={t('ui.setup.partner.none')}>
        <Group justify="space-between">
          <Text c="dimmed" maw={440}>
            {t('ui.setup.partner.noneText')}
          </Text>
          <Button
            variant="default"
            leftSection={<IconPlugConnected size={16} />}
            loading={save.isPending}
            onClick={simulate}
          >
            {t('ui.setup.partner.simulator')}
          </Button>
        </Group>
      </Panel>
    </>
  )
}

/** Of Standard Webhooks: 24 bytes. Made here, because the simulator has to be given it. */
const newSecret = (): string =>
  `whsec_${btoa(String.fromCharCode(...crypto.getRandomValues(new Uint8Array(24))))}`
