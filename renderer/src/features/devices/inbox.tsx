import { Button, Checkbox, Select, Text, TextInput, Tooltip } from '@mantine/core'
import { notifications } from '@mantine/notifications'
import { IconCheck } from '@tabler/icons-react'
import { dashboard } from '#shared/contract/dashboard.ts'
import type { RetrievalRight, UnknownCaller } from '#shared/contract/devices.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { nameOf } from '../../format/device-name.ts'
import { t } from '../../i18n/t.ts'
import { Clock } from '../../ui/clock.tsx'
import { ErrorNotice, Panel } from '../../ui/page.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'
import css from './devices.module.css'
import { guessModality, guessName } from './guess.ts'
import { asksRetrieval, retrievalOptions } from './retrieval.ts'
import { SameAeTitleNotice } from './same-ae-title-notice.tsx'
import { servicesText } from './services.ts'

/** Callers that were rejected because nobody knows them, each to be approved or dismissed. */
export function Inbox() {
  const { isOpen } = useEventStream()
  const callers = useReply(dashboard.callers, {}, isOpen ? {} : { every: 20_000 })
  if (callers.isError && callers.error.code !== 'not-permitted')
    return <ErrorNotice error={callers.error} onRetry={() => void callers.refetch()} />
  if (!callers.data || callers.data.callers.length === 0) return null
  return (
    <Panel
      isFlush
      className={css.inbox}
      title={`${t('ui.devices.inbox.title')} (${callers.data.callers.length})`}
      aside={
        <Text size="sm" c="dimmed">
          {t('ui.devices.inbox.about')}
        </Text>
      }
    >
      {callers.data.callers.map((caller) => (
        <Caller key={`${caller.aeTitle}@${caller.address}`} caller={caller} />
      ))}
    </Panel>
  )
}

function Caller({ caller }: { caller: UnknownCaller }) {
  const { aeTitle, address, calledAeTitle, attempts, lastAt, services } = caller
  const changes = [dashboard.callers, dashboard.devices, dashboard.status]
  const approve = useSend(dashboard.approveCaller, changes)
  const dismiss = useSend(dashboard.dismissCaller, changes)
  const { form, submit } = useContractForm({
    operation: dashboard.approveCaller,
    initialValues: {
      name: guessName(aeTitle),
      modality: guessModality(aeTitle),
      anyAddress: false,
      retrieval: 'none' as RetrievalRight,
    },
    bodyOf: ({ name, modality, anyAddress, retrieval }) => ({
      aeTitle,
      address,
      name,
      modality: modality.trim() || null,
      anyAddress,
      retrieval,
    }),
    send: (body, onError) =>
      approve.mutate(
        { body },
        {
          onSuccess: (device) =>
            notifications.show({
              message: t('ui.devices.inbox.added', { name: nameOf(device) }),
              icon: <IconCheck size={18} />,
            }),
          onError,
        },
      ),
  })
  const error = approve.error?.errors.length === 0 ? approve.error : dismiss.error
  return (
    <form
      className={css.caller}
      onSubmit={submit}
      aria-label={`${aeTitle} ${t('ui.devices.inbox.from', { address })}`}
    >
      <div>
        <div className={css.title}>{aeTitle}</div>
        <Text size="sm">
          {t('ui.devices.inbox.from', { address })} ·{' '}
          {t('ui.devices.inbox.called', { aeTitle: calledAeTitle })}
        </Text>
        <Text size="sm" c="dimmed">
          {t('ui.devices.inbox.attempts', { count: attempts })}, {t('ui.devices.inbox.last')}{' '}
          <Clock instant={lastAt} />
        </Text>
        <Text size="sm" c="dimmed" title={services.join(', ')}>
          {t('ui.devices.inbox.wanted')}: {servicesText(services)}
        </Text>
      </div>
      <div>
        <div className={css.fields}>
          <TextInput
            label={t('ui.devices.inbox.name')}
            placeholder={t('ui.devices.inbox.namePlaceholder')}
            maxLength={64}
            {...form.getInputProps('name')}
          />
          <TextInput
            label={t('ui.devices.inbox.modality')}
            maxLength={16}
            {...form.getInputProps('modality')}
          />
          <div className={css.acts}>
            <Button
              type="submit"
              variant="light"
              leftSection={<IconCheck size={16} />}
              loading={approve.isPending}
            >
              {t('ui.devices.inbox.approve')}
            </Button>
            <Button
              variant="default"
              loading={dismiss.isPending}
              onClick={() => dismiss.mutate({ body: { aeTitle, address } })}
            >
              {t('ui.devices.inbox.dismiss')}
            </Button>
          </div>
        </div>
        {asksRetrieval(services) && (
          <Select
            mt={8}
            label={t('ui.devices.form.retrieval.label')}
            description={t('ui.devices.inbox.retrievalAbout')}
            allowDeselect={false}
            data={retrievalOptions()}
            {...form.getInputProps('retrieval')}
          />
        )}
        <Tooltip label={t('ui.devices.inbox.anyAddressAbout')}>
          <Checkbox
            mt={8}
            w="fit-content"
            size="xs"
            label={t('ui.devices.inbox.anyAddress')}
            {...form.getInputProps('anyAddress', { type: 'checkbox' })}
          />
        </Tooltip>
        <SameAeTitleNotice aeTitle={aeTitle} address={form.values.anyAddress ? null : address} />
        {error && <ErrorNotice error={error} />}
      </div>
    </form>
  )
}
