import { Button, Checkbox, Group, Stack, TextInput } from '@mantine/core'
import { useState } from 'react'
import { dashboard } from '#shared/contract/dashboard.ts'
import { dashboardSetup, type SetupState } from '#shared/contract/dashboard-setup.ts'
import { dashboardEvents } from '#shared/contract/events.ts'
import { useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, Panel } from '../../ui/page.tsx'
import { OneTimeValueDialog } from '../../ui/shown-once.tsx'
import { Notice } from '../../ui/tone.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'
import { PartnerTests } from './partner-tests.tsx'
import { PartnerSimulator } from './simulators.tsx'
import type { StepProps } from './step.ts'

const CHANGES = [
  dashboardSetup.state,
  dashboard.partner,
  dashboard.status,
  dashboardEvents.endpoints,
]
/** Where the partner is, its secret, and a test of each event. */
export function PartnerStep({ state: { partner } }: Pick<StepProps, 'state'>) {
  const [isChanging, setChanging] = useState(false)
  const [secret, setSecret] = useState<string | null>(null)
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
          <PartnerSimulator />
        </>
      ) : (
        <PartnerForm partner={partner} onSaved={setSecret} onEnd={() => setChanging(false)} />
      )}
      <OneTimeValueDialog
        value={secret}
        title={t('ui.setup.partner.secretTitle')}
        about={t('ui.setup.partner.secretText')}
        what={t('ui.setup.partner.secretWhat')}
        done={t('ui.setup.partner.secretDone')}
        onClose={() => setSecret(null)}
      />
    </Stack>
  )
}

function PartnerForm(props: {
  partner: SetupState['partner']
  onSaved: (secret: string | null) => void
  onEnd: () => void
}) {
  const { partner, onSaved, onEnd } = props
  const save = useSend(dashboard.setPartner, CHANGES)
  const { form, submit } = useContractForm({
    operation: dashboard.setPartner,
    initialValues: {
      url: partner.url ?? '',
      allowPlaintext: partner.url?.startsWith('http:') ?? false,
    },
    bodyOf: ({ url, allowPlaintext }) => ({ url: url.trim(), allowPlaintext }),
    send: (body, onError) =>
      save.mutate(
        { body },
        {
          onSuccess({ secret }) {
            onSaved(secret)
            onEnd()
          },
          onError,
        },
      ),
  })
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
            {save.error && save.error.errors.length === 0 && <ErrorNotice error={save.error} />}
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
      <PartnerSimulator />
    </>
  )
}
