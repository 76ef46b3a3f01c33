import { Button, Title } from '@mantine/core'
import { IconPlus } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboardEvents, type Endpoint } from '#shared/contract/events.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { endpointName } from '../../format/endpoint-name.ts'
import { t } from '../../i18n/t.ts'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { FormDrawer } from '../../ui/form-drawer.tsx'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { ENDPOINT_CHANGES } from './changes.ts'
import { EndpointCard } from './endpoint-card.tsx'
import { EndpointForm } from './endpoint-form.tsx'
import { NewSecret } from './new-secret.tsx'
import css from './partner.module.css'
import { RotateSecretDialog } from './rotate-secret.tsx'
import { TestEvent } from './test-event.tsx'

const POLL_MS = 60_000
const POLL_CUT_OFF_MS = 10_000

type OpenDialog =
  | { readonly what: 'edit' | 'rotate' | 'test' | 'remove'; readonly endpoint: Endpoint }
  | { readonly what: 'add'; readonly endpoint: null }

/**
 * Every endpoint: for clinics whose events go to more than one place, and for the details of the
 * one.
 */
export function Endpoints() {
  const { isOpen } = useEventStream()
  const reply = useReply(
    dashboardEvents.endpoints,
    {},
    { every: isOpen ? POLL_MS : POLL_CUT_OFF_MS },
  )
  const [doing, setDoing] = useState<OpenDialog | null>(null)
  const [secret, setSecret] = useState<string | null>(null)
  const close = () => setDoing(null)
  const endpoints = reply.data?.endpoints ?? []
  return (
    <section className={css.endpoints}>
      <div className={css.head}>
        <div>
          <Title order={2}>{t('ui.partner.endpoints')}</Title>
          <div className={css.about}>{t('ui.partner.endpointsAbout')}</div>
        </div>
        <Button
          variant="default"
          leftSection={<IconPlus size={16} />}
          onClick={() => setDoing({ what: 'add', endpoint: null })}
        >
          {t('ui.partner.addEndpoint')}
        </Button>
      </div>
      {reply.isPending && <LoadingPlaceholder rows={3} />}
      {reply.isError && !reply.data && (
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      <div className={css.cards}>
        {endpoints.map((endpoint) => (
          <EndpointCard
            key={endpoint.endpointId}
            endpoint={endpoint}
            onEdit={() => setDoing({ what: 'edit', endpoint })}
            onRotate={() => setDoing({ what: 'rotate', endpoint })}
            onTest={() => setDoing({ what: 'test', endpoint })}
            onRemove={() => setDoing({ what: 'remove', endpoint })}
          />
        ))}
      </div>
      <FormDrawer
        opened={doing?.what === 'edit' || doing?.what === 'add'}
        onClose={close}
        size={560}
        title={doing?.endpoint ? endpointName(doing.endpoint) : t('ui.partner.addEndpoint')}
      >
        {(doing?.what === 'edit' || doing?.what === 'add') && (
          <EndpointForm
            key={doing.endpoint?.endpointId ?? 'new'}
            endpoint={doing.endpoint}
            onMade={setSecret}
            onDone={close}
          />
        )}
      </FormDrawer>
      {doing?.what === 'rotate' && (
        <RotateSecretDialog endpoint={doing.endpoint} onMade={setSecret} onDone={close} />
      )}
      {doing?.what === 'test' && <TestEvent endpoint={doing.endpoint} onDone={close} />}
      <RemoveEndpointDialog
        endpoint={doing?.what === 'remove' ? doing.endpoint : null}
        onDone={close}
      />
      <NewSecret secret={secret} onClose={() => setSecret(null)} />
    </section>
  )
}

function RemoveEndpointDialog({
  endpoint,
  onDone,
}: {
  endpoint: Endpoint | null
  onDone: () => void
}) {
  const remove = useSend(dashboardEvents.removeEndpoint, ENDPOINT_CHANGES)
  const close = () => {
    remove.reset()
    onDone()
  }
  return (
    <ConfirmAction
      isOpen={endpoint !== null}
      title={t('ui.partner.removeTitle')}
      action={t('ui.partner.removeAction')}
      isBusy={remove.isPending}
      error={remove.error}
      onClose={close}
      onConfirm={() =>
        endpoint &&
        remove.mutate({ params: { endpointId: endpoint.endpointId } }, { onSuccess: close })
      }
    >
      {endpoint && t('ui.partner.removeText', { name: endpointName(endpoint) })}
      {endpoint &&
        endpoint.waiting > 0 &&
        ` ${t('ui.partner.removeWaiting', { events: t('ui.partner.eventCount', { count: endpoint.waiting }) })}`}
    </ConfirmAction>
  )
}
