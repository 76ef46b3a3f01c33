import { Anchor, Button } from '@mantine/core'
import { IconArrowLeft, IconBan, IconFolders, IconPencil, IconRestore } from '@tabler/icons-react'
import { getRouteApi, Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type ExpressCustomer, express } from '#shared/contract/express.ts'
import type { ExpressCustomerId } from '#shared/ids.ts'
import { MayButton, useMay } from '../components/allowed.tsx'
import { Clock } from '../components/clock.tsx'
import { Confirm } from '../components/confirm.tsx'
import { Copy } from '../components/copy.tsx'
import { FormDrawer } from '../components/form-drawer.tsx'
import { Facts, Failed, Page, Panel, Waiting } from '../components/page.tsx'
import { Notice, ToneIcon } from '../components/tone.tsx'
import { numberText } from '../display/amounts.ts'
import { useReply } from '../gateway.ts'
import { useCustomerBlock } from './changes.ts'
import { CustomerForm } from './customer-form.tsx'
import { CustomerUsers } from './customer-users.tsx'
import css from './customers.module.css'
import { State } from './customers.tsx'
import { MadeBy } from './made-by.tsx'
import { words } from './words.ts'

const route = getRouteApi('/shell/customers/$expressCustomerId')

/** One Express customer: what it is called, its metadata, and who is linked to it. */
export function Customer() {
  const { expressCustomerId } = route.useParams()
  const customer = useReply(express.read, {
    params: { expressCustomerId: expressCustomerId as ExpressCustomerId },
  })
  if (customer.data)
    return <Opened key={customer.data.expressCustomerId} customer={customer.data} />
  return (
    <Page title={words.details}>
      <Back />
      {customer.isPending ? (
        <Waiting rows={6} />
      ) : (
        <Failed error={customer.error} onRetry={() => void customer.refetch()} />
      )}
    </Page>
  )
}

const Back = () => (
  <div>
    <Anchor component={Link} to="/customers" className={css.back}>
      <IconArrowLeft size={14} aria-hidden />
      {words.back}
    </Anchor>
  </div>
)

function Opened({ customer }: { customer: ExpressCustomer }) {
  const [isEditing, setIsEditing] = useState(false)
  const [isBlocking, setIsBlocking] = useState(false)
  const blocking = useCustomerBlock(customer)
  const { why } = useMay('manageCustomers')

  return (
    <Page
      title={customer.expressCustomerName}
      about={<State isActive={customer.isActive} />}
      actions={
        <Actions
          customer={customer}
          onBlock={() => setIsBlocking(true)}
          onUnblock={blocking.unblock}
          onEdit={() => setIsEditing(true)}
        />
      }
    >
      <Back />
      {why !== '' && (
        <Notice tone="info" title={words.mayLook}>
          {why}
        </Notice>
      )}
      {!customer.isActive && (
        <Notice tone="warning" title={words.isBlocked}>
          {words.isBlockedText}
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
        title={words.form.editTitle}
      >
        {isEditing && (
          <CustomerForm
            customer={customer}
            onCancel={() => setIsEditing(false)}
            onDone={() => setIsEditing(false)}
          />
        )}
      </FormDrawer>
      <AskBlock
        customer={customer}
        blocking={blocking}
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
      {words.open}
    </Button>
    {isActive ? (
      <MayButton
        permission="manageCustomers"
        variant="default"
        leftSection={<IconBan size={16} />}
        onClick={onBlock}
      >
        {words.deactivate}
      </MayButton>
    ) : (
      <MayButton
        permission="manageCustomers"
        leftSection={<IconRestore size={16} />}
        onClick={onUnblock}
      >
        {words.reactivate}
      </MayButton>
    )}
    <MayButton permission="manageCustomers" leftSection={<IconPencil size={16} />} onClick={onEdit}>
      {words.rename}
    </MayButton>
  </>
)

function Details({ customer }: { customer: ExpressCustomer }) {
  const { expressCustomerId, createdAt, updatedAt, userCount } = customer
  return (
    <Panel title={words.details}>
      <Facts
        facts={[
          [
            words.facts.id,
            <span key="id">
              <span className="mono">{expressCustomerId}</span>{' '}
              <Copy value={expressCustomerId} what={words.copyId} />
            </span>,
          ],
          [words.facts.users, numberText(userCount)],
          [words.facts.made, <MadeBy key="made" customer={customer} />],
          [words.facts.since, <Clock key="since" instant={createdAt} />],
          [words.facts.changed, <Clock key="changed" instant={updatedAt} />],
        ]}
      />
    </Panel>
  )
}

const Metadata = ({ pairs }: { pairs: readonly (readonly [name: string, value: string])[] }) => (
  <Panel title={words.metadata.title}>
    {pairs.length === 0 ? (
      <p className={css.quiet}>{words.metadata.none}</p>
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

interface AskBlockProps {
  readonly customer: ExpressCustomer
  readonly blocking: ReturnType<typeof useCustomerBlock>
  readonly isOpen: boolean
  readonly onClose: () => void
}

function AskBlock({
  customer,
  blocking: { block, isBlocking, blockError },
  isOpen,
  onClose,
}: AskBlockProps) {
  return (
    <Confirm
      isOpen={isOpen}
      title={words.deactivateTitle(customer.expressCustomerName)}
      action={words.deactivateAction}
      keep={words.deactivateKeep}
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
            {words.deactivateRefused}
          </dt>
          <dd>{words.deactivateRefusedText}</dd>
        </div>
        <div>
          <dt>
            <ToneIcon tone="good" />
            {words.deactivateStays}
          </dt>
          <dd>{words.deactivateStaysText(customer.userCount)}</dd>
        </div>
      </dl>
      <p>{words.deactivateUndo}</p>
    </Confirm>
  )
}
