import { Button, Stack } from '@mantine/core'
import { IconPlus, IconStack2 } from '@tabler/icons-react'
import { useState } from 'react'
import { dashboardTiers, type Tier } from '#shared/contract/tiers.ts'
import { useReply, useSend } from '../../api/queries.ts'
import { t } from '../../i18n/t.ts'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { FormDrawer } from '../../ui/form-drawer.tsx'
import { EmptyState, ErrorNotice, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { SettingsTabs } from '../../ui/sections/settings-tabs.tsx'
import { TierCard } from './tier-card.tsx'
import { TierForm } from './tier-form.tsx'
import css from './tiers.module.css'

const POLL_MS = 5000
const RUNNING_POLL_MS = 1000

/** Where images are kept beside this PC: object stores and PACS. */
export function Tiers() {
  const [isRunning, setIsRunning] = useState(false)
  const reply = useReply(
    dashboardTiers.list,
    {},
    { every: isRunning ? RUNNING_POLL_MS : POLL_MS, staleTime: 0 },
  )
  const [editing, setEditing] = useState<{ tier: Tier | null } | null>(null)
  const [removing, setRemoving] = useState<Tier | null>(null)
  const tiers = reply.data?.tiers ?? []
  const isBusy = tiers.some(
    ({ migration, verification }) =>
      migration?.state === 'running' || verification?.state === 'running',
  )
  if (isBusy !== isRunning) setIsRunning(isBusy)
  const add = (
    <Button leftSection={<IconPlus size={16} />} onClick={() => setEditing({ tier: null })}>
      {t('ui.tiers.add')}
    </Button>
  )
  return (
    <Page title={t('ui.tiers.title')} about={t('ui.tiers.about')} actions={add}>
      <SettingsTabs />
      {reply.isPending && <LoadingPlaceholder rows={2} height={160} />}
      {reply.isError && !reply.data && (
        <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
      )}
      {reply.data && tiers.length === 0 && (
        <Panel>
          <EmptyState
            icon={<IconStack2 size={34} stroke={1.3} />}
            title={t('ui.tiers.none')}
            action={add}
          >
            {t('ui.tiers.noneText')}
          </EmptyState>
        </Panel>
      )}
      <div className={css.cards}>
        {tiers.map((tier) => (
          <TierCard
            key={tier.tierId}
            tier={tier}
            onEdit={() => setEditing({ tier })}
            onRemove={() => setRemoving(tier)}
          />
        ))}
      </div>
      <FormDrawer
        opened={editing !== null}
        onClose={() => setEditing(null)}
        size={560}
        title={editing?.tier?.name ?? t('ui.tiers.form.addTitle')}
      >
        {editing && (
          <TierForm
            key={editing.tier?.tierId ?? 'new'}
            tier={editing.tier}
            onDone={() => setEditing(null)}
          />
        )}
      </FormDrawer>
      <RemoveTierDialog tier={removing} onDone={() => setRemoving(null)} />
    </Page>
  )
}

function RemoveTierDialog({ tier, onDone }: { tier: Tier | null; onDone: () => void }) {
  const remove = useSend(dashboardTiers.remove, [dashboardTiers.list])
  const close = () => {
    remove.reset()
    onDone()
  }
  return (
    <ConfirmAction
      isOpen={tier !== null}
      title={t('ui.tiers.removeTitle')}
      action={t('ui.tiers.removeAction')}
      isBusy={remove.isPending}
      error={remove.error}
      onClose={close}
      onConfirm={() =>
        tier && remove.mutate({ params: { tierId: tier.tierId } }, { onSuccess: close })
      }
    >
      <Stack gap={10}>{tier && t('ui.tiers.removeText', { name: tier.name })}</Stack>
    </ConfirmAction>
  )
}
