import { Button, Stack } from '@mantine/core'
import { IconHistory, IconPlus, IconSend } from '@tabler/icons-react'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Destination, dashboardDestinations } from '#shared/contract/destinations.ts'
import { useEventStream } from '../../api/event-stream.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { useMayManage, useMayManageStudies } from '../../api/session.ts'
import { t } from '../../i18n/t.ts'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { FormDrawer } from '../../ui/form-drawer.tsx'
import { NativeNotice } from '../../ui/native-notice.tsx'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { Notice } from '../../ui/tone.tsx'
import { DestinationCard } from './card.tsx'
import { DestinationForm } from './destination-form.tsx'
import css from './destinations.module.css'

/** The systems that images are sent to, each with its queue. */
export function Destinations() {
  const { isOpen } = useEventStream()
  const reply = useReply(dashboardDestinations.list, {}, isOpen ? {} : { every: 5000 })
  const mayManage = useMayManage()
  const mayFind = useMayManageStudies()
  const [editing, setEditing] = useState<{ destination: Destination | null } | null>(null)
  const [removing, setRemoving] = useState<Destination | null>(null)
  const destinations = reply.data?.destinations ?? []
  const add = mayManage && (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing({ destination: null })}>
      {t('ui.destinations.add')}
    </Button>
  )

  return (
    <Page
      title={t('ui.destinations.title')}
      about={t('ui.destinations.about')}
      actions={
        <>
          {mayFind && destinations.some((one) => one.hasPriors) && <PriorsLink />}
          {add}
        </>
      }
    >
      {reply.isPending && <LoadingPlaceholder rows={3} height={120} />}
      {reply.isError && !reply.data && (
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      <NativeNotice native={reply.data?.native} />
      {reply.data && destinations.length === 0 && (
        <Panel>
          <EmptyState
            icon={<IconSend size={34} stroke={1.3} />}
            title={t('ui.destinations.none')}
            action={add}
          >
            {t('ui.destinations.noneText')}
          </EmptyState>
        </Panel>
      )}
      <div className={css.cards}>
        {destinations.map((destination) => (
          <DestinationCard
            key={destination.destinationId}
            destination={destination}
            hasNative={reply.data?.native.isAvailable ?? false}
            mayManage={mayManage}
            mayFind={mayFind}
            onEdit={() => setEditing({ destination })}
            onRemove={() => setRemoving(destination)}
          />
        ))}
      </div>
      <FormDrawer
        opened={editing !== null}
        onClose={() => setEditing(null)}
        size={520}
        title={editing?.destination?.name ?? t('ui.destinations.form.addTitle')}
      >
        {editing && (
          <DestinationForm
            key={editing.destination?.destinationId ?? 'new'}
            destination={editing.destination}
            onDone={() => setEditing(null)}
          />
        )}
      </FormDrawer>
      <RemoveDestinationDialog destination={removing} onDone={() => setRemoving(null)} />
    </Page>
  )
}

const PriorsLink = () => (
  <Button
    variant="default"
    leftSection={<IconHistory size={16} />}
    renderRoot={(props) => <Link to="/destinations/priors" {...props} />}
  >
    {t('ui.destinations.priors')}
  </Button>
)

function RemoveDestinationDialog({
  destination,
  onDone,
}: {
  destination: Destination | null
  onDone: () => void
}) {
  const remove = useSend(dashboardDestinations.remove, [dashboardDestinations.list])
  const waits = destination !== null && destination.queue.waiting + destination.queue.failed > 0
  const close = () => {
    remove.reset()
    onDone()
  }
  return (
    <ConfirmAction
      isOpen={destination !== null}
      title={t('ui.destinations.removeTitle')}
      action={t('ui.destinations.removeAction')}
      isBusy={remove.isPending}
      isBlocked={waits}
      error={remove.error}
      onClose={close}
      onConfirm={() =>
        destination &&
        remove.mutate(
          { params: { destinationId: destination.destinationId } },
          { onSuccess: close },
        )
      }
    >
      <Stack gap={10}>
        {destination && t('ui.destinations.removeText', { name: destination.name })}
        {waits && <Notice tone="warning">{t('ui.destinations.removeWaiting')}</Notice>}
      </Stack>
    </ConfirmAction>
  )
}
