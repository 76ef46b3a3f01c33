import { Button, Group } from '@mantine/core'
import { IconBan, IconFolders, IconPencil, IconRestore } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type ExpressCustomer, express } from '#shared/contract/express.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'
import { useReply } from '../../api/queries.ts'
import { numberText } from '../../format/amounts.ts'
import { t } from '../../i18n/t.ts'
import { PermissionButton, usePermission } from '../../ui/allowed.tsx'
import { BackLink } from '../../ui/back-link.tsx'
import { Clock } from '../../ui/clock.tsx'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { Copy } from '../../ui/copy.tsx'
import { useCustomerBlock } from '../../ui/customer-links.ts'
import { FormDrawer } from '../../ui/form-drawer.tsx'
import { ErrorNotice, FactList, LoadingPlaceholder, Page, Panel } from '../../ui/page.tsx'
import { Notice, ToneIcon } from '../../ui/tone.tsx'
import { CustomerForm } from './customer-form.tsx'
import { CustomerUsers } from './customer-users.tsx'
import css from './customers.module.css'
import { State } from './customers.tsx'
import { CreatedBy } from './made-by.tsx'

const route = getRouteApi('/shell/customers/$expressCustomerId')

/** One Express customer: what it is called, its metadata, and who is linked to it. */
export function Customer() {
  const { expressCustomerId } = route.useParams()
  const customer = useReply(express.read, {
    params: { expressCustomerId: expressCustomerId as ExpressCustomerId },
  })
  if (customer.data)
    return <CustomerDetails key={customer.data.expressCustomerId} customer={customer.data} />
  return (
    <Page title={t('ui.customers.details')} about={<CustomersLink />}>
      {customer.isPending ? (
        <LoadingPlaceholder rows={6} />
      ) : (
        <ErrorNotice error={customer.error} onRetry={() => void customer.refetch()} />
      )}
    </Page>
  )
}

const CustomersLink = () => (
  <div>
    <BackLink to="/customers">{t('ui.customers.back')}</BackLink>
  </div>
)

function CustomerDetails({ customer }: { customer: ExpressCustomer }) {
  const [isEditing, setIsEditing] = useState(false)
  const [isBlocking, setIsBlocking] = useState(false)
  const customerBlock = useCustomerBlock(customer)
  const { why } = usePermission('manageCustomers')

  return (
    <Page
      title={customer.expressCustomerName}
      about={
        <>
          <CustomersLink />
          <State isActive={customer.isActive} />
        </>
      }
      actions={
        <Actions
          customer={customer}
          onBlock={() => setIsBlocking(true)}
          onUnblock={customerBlock.unblock}
          onEdit={() => setIsEditing(true)}
        />
      }
    >
      {why !== '' && (
        <Notice tone="info" title={t('ui.customers.mayLook')}>
          {why}
        </Notice>
      )}
      {!customer.isActive && (
        <Notice tone="warning" title={t('ui.customers.isBlocked')}>
          {t('ui.customers.isBlockedText')}
        </Notice>
      )}
      <div className={css.columns}>
        <div className={css.side}>
          <Details customer={customer} />
          <Metadata pairs={Object.entries(customer.metadata ?? {})} />
        </div>
        <CustomerUsers customer={customer} />
      </div>
      <FormDrawer
        opened={isEditing}
        onClose={() => setIsEditing(false)}
        size={560}
        title={t('ui.customers.form.editTitle')}
      >
        {isEditing && (
          <CustomerForm
            customer={customer}
            onCancel={() => setIsEditing(false)}
            onDone={() => setIsEditing(false)}
          />
        )}
      </FormDrawer>
      <BlockDialog
        customer={customer}
        blocking={customerBlock}
        isOpen={isBlocking}
        onClose={() => setIsBlocking(false)}
      />
    </Page>
  )
}

interface ActionsProps {
  readonly customer: ExpressCustomer
  readonly onBlock: () => void
  readonly onUnblock: () => void
  readonly onEdit: () => void
}

const Actions = ({
  customer: { expressCustomerId, isActive },
  onBlock,
  onUnblock,
  onEdit,
}: ActionsProps) => (
  <>
    <Button
      variant="default"
      leftSection={<IconFolders size={16} />}
      renderRoot={(props) => (
        <Link to="/studies" search={{ customer: expressCustomerId }} {...props} />
      )}
    >
      {t('ui.customers.open')}
    </Button>
    {isActive ? (
      <PermissionButton
        permission="manageCustomers"
        variant="default"
        leftSection={<IconBan size={16} />}
        onClick={onBlock}
      >
        {t('ui.customers.deactivate')}
      </PermissionButton>
    ) : (
      <PermissionButton
        permission="manageCustomers"
        leftSection={<IconRestore size={16} />}
        onClick={onUnblock}
      >
        {t('ui.customers.reactivate')}
      </PermissionButton>
    )}
    <PermissionButton
      permission="manageCustomers"
      variant="default"
      leftSection={<IconPencil size={16} />}
      onClick={onEdit}
    >
      {t('ui.customers.rename')}
    </PermissionButton>
  </>
)

function Details({ customer }: { customer: ExpressCustomer }) {
  const { expressCustomerId, createdAt, updatedAt, userCount } = customer
  return (
    <Panel title={t('ui.customers.details')}>
      <FactList
        facts={[
          [
            t('ui.customers.facts.id'),
            <Group key="id" gap={4} wrap="nowrap">
              <span className="mono">{expressCustomerId}</span>
              <Copy value={expressCustomerId} what={t('ui.customers.copyId')} />
            </Group>,
          ],
          [t('ui.customers.facts.users'), numberText(userCount)],
          [t('ui.customers.facts.made'), <CreatedBy key="made" customer={customer} />],
          [t('ui.customers.facts.since'), <Clock key="since" instant={createdAt} />],
          [t('ui.customers.facts.changed'), <Clock key="changed" instant={updatedAt} />],
        ]}
      />
    </Panel>
  )
}

const Metadata = ({ pairs }: { pairs: readonly (readonly [name: string, value: string])[] }) => (
  <Panel title={t('ui.customers.metadata.title')}>
    {pairs.length === 0 ? (
      <p className={css.quiet}>{t('ui.customers.metadata.none')}</p>
    ) : (
      <dl className={css.metadata}>
        {pairs.map(([name, value]) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name}-value`}>{value}</dd>,
        ])}
      </dl>
    )}
  </Panel>
)

interface BlockDialogProps {
  readonly customer: ExpressCustomer
  readonly blocking: ReturnType<typeof useCustomerBlock>
  readonly isOpen: boolean
  readonly onClose: () => void
}

function BlockDialog({
  customer,
  blocking: { block, isBlocking, blockError },
  isOpen,
  onClose,
}: BlockDialogProps) {
  return (
    <ConfirmAction
      isOpen={isOpen}
      title={t('ui.customers.deactivateTitle', { name: customer.expressCustomerName })}
      action={t('ui.customers.deactivateAction')}
      keep={t('ui.customers.deactivateKeep')}
      isBusy={isBlocking}
      error={blockError}
      onClose={onClose}
      onConfirm={() =>
        void block().then(
          onClose,
          // Shown in the dialogue.
          () => {},
        )
      }
    >
      <dl className={css.meaning}>
        <div>
          <dt>
            <ToneIcon tone="warning" />
            {t('ui.customers.deactivateRefused')}
          </dt>
          <dd>{t('ui.customers.deactivateRefusedText')}</dd>
        </div>
        <div>
          <dt>
            <ToneIcon tone="good" />
            {t('ui.customers.deactivateStays')}
          </dt>
          <dd>{t('ui.customers.deactivateStaysText', { users: customer.userCount })}</dd>
        </div>
      </dl>
      <p>{t('ui.customers.deactivateUndo')}</p>
    </ConfirmAction>
  )
}
