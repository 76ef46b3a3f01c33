import {
  Button,
  Checkbox,
  Group,
  PasswordInput,
  Stack,
  Text,
  TextInput,
  Tooltip,
} from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck, IconPlugConnected } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboard, type Partner as PartnerRow } from '#shared/contract/dashboard.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { EVENT_NAMES } from '../../format/event-types.ts'
import { t } from '../../i18n/t.ts'
import { ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { Notice, Tag } from '../../ui/tone.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'
import { ENDPOINT_CHANGES } from './changes.ts'
import { Endpoints } from './endpoints.tsx'
import { NewSecret } from './new-secret.tsx'
import { TestResult } from './test-result.tsx'

/** Where the gateway asks, how it proves who it is, and whether that works. */
export function Partner() {
  const partner = useReply(dashboard.partner, {})
  return (
    <Page title={t('ui.partner.title')} about={t('ui.partner.about')}>
      {partner.isPending && <LoadingPlaceholder rows={5} />}
      {partner.isError && (
        <ErrorNotice error={partner.error} onRetry={() => void partner.refetch()} />
      )}
      {partner.data && (
        <div
          style={{
            display: 'grid',
            gridTemplateColumns: 'repeat(auto-fit, minmax(360px, 1fr))',
            gap: 16,
            alignItems: 'start',
          }}
        >
          <Endpoint key={partner.data.url ?? 'unset'} partner={partner.data} />
          <Stack>
            <PartnerTestPanel isReady={partner.data.url !== null} />
            <Panel title={t('ui.partner.events')}>
              {partner.data.events.length === 0 ? (
                <Text c="dimmed">{t('ui.partner.noEvents')}</Text>
              ) : (
                <Stack gap={4}>
                  {partner.data.events.map((event) => (
                    <Tooltip key={event} label={EVENT_NAMES[event].about} position="left">
                      <span>
                        {EVENT_NAMES[event].name} <span className="mono">({event})</span>
                      </span>
                    </Tooltip>
                  ))}
                </Stack>
              )}
            </Panel>
          </Stack>
        </div>
      )}
      {partner.data?.url && <Endpoints />}
    </Page>
  )
}

function Endpoint({ partner }: { partner: PartnerRow }) {
  const save = useSend(dashboard.setPartner, ENDPOINT_CHANGES)
  const [secret, setSecret] = useState<string | null>(null)
  const { form, submit } = useContractForm({
    operation: dashboard.setPartner,
    initialValues: { url: partner.url ?? '', secret: '', allowPlaintext: partner.allowsPlaintext },
    bodyOf: (values) => ({
      url: values.url.trim(),
      allowPlaintext: values.allowPlaintext,
      ...(values.secret.trim() && { secret: values.secret.trim() }),
    }),
    send: (body, onError) =>
      save.mutate(
        { body },
        {
          onSuccess: (reply) => {
            form.setFieldValue('secret', '')
            form.resetDirty()
            setSecret(reply.secret)
            if (reply.secret === null)
              notifications.show({ message: t('ui.partner.saved'), icon: <IconCheck size={18} /> })
          },
          onError,
        },
      ),
  })
  const isPlain = /^http:/i.test(form.values.url.trim())
  return (
    <Panel
      title={t('ui.partner.setUp')}
      aside={
        <Tag tone={partner.hasSecret ? 'good' : 'plain'}>
          {partner.hasSecret ? t('ui.partner.secretSet') : t('ui.partner.secretUnset')}
        </Tag>
      }
    >
      <form onSubmit={submit}>
        <Stack>
          <TextInput
            label={t('ui.partner.url.label')}
            description={t('ui.partner.url.description')}
            placeholder="https://"
            inputMode="url"
            required
            {...form.getInputProps('url')}
          />
          <PasswordInput
            label={t('ui.partner.secret.label')}
            description={`${t('ui.partner.secret.description')} ${partner.hasSecret ? t('ui.partner.secretKept') : t('ui.partner.secretMade')}`}
            placeholder={partner.hasSecret ? '••••••••••••' : ''}
            autoComplete="off"
            maxLength={200}
            {...form.getInputProps('secret')}
          />
          <Checkbox
            label={t('ui.partner.plaintext.label')}
            description={t('ui.partner.plaintext.description')}
            {...form.getInputProps('allowPlaintext', { type: 'checkbox' })}
          />
          {isPlain && <Notice tone="warning">{t('ui.partner.needsPlaintext')}</Notice>}
          {save.error && save.error.errors.length === 0 && <ErrorNotice error={save.error} />}
          <Group justify="flex-end">
            <Button type="submit" loading={save.isPending}>
              {t('ui.partner.save')}
            </Button>
          </Group>
        </Stack>
      </form>
      <NewSecret secret={secret} onClose={() => setSecret(null)} />
    </Panel>
  )
}

function PartnerTestPanel({ isReady }: { isReady: boolean }) {
  const test = useSend(dashboard.testPartner, [dashboard.status])
  return (
    <Panel title={t('ui.partner.test.title')}>
      <Stack align="flex-start">
        <Text size="sm" c="dimmed">
          {isReady ? t('ui.partner.test.about') : t('ui.partner.test.first')}
        </Text>
        <Button
          variant="default"
          leftSection={<IconPlugConnected size={16} />}
          disabled={!isReady}
          loading={test.isPending}
          onClick={() => test.mutate({})}
        >
          {t('ui.partner.test.button')}
        </Button>
        <TestResult test={test} good={t('ui.partner.test.good')} bad={t('ui.partner.test.bad')} />
      </Stack>
    </Panel>
  )
}
