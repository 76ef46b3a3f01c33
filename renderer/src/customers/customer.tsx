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
  const customer = useReply(express.read, { params: { expressCustomerId: expressCustomerId as ExpressCustomerId } })
  if (customer.data) return <Opened key={customer.data.expressCustomerId} customer={customer.data} />
  return (
    <Page title={words.details}>
      <Back />
      {customer.isPending ? <Waiting rows={6} /> : <Failed error={customer.error} onRetry={() => void customer.refetch()} />}
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
  const { expressCustomerId, expressCustomerName, isActive, createdAt, updatedAt, userCount, metadata } = customer
  const [isEditing, setIsEditing] = useState(false)
  const [isBlocking, setIsBlocking] = useState(false)
  const { block, unblock, isBlocking: isBusy, blockError } = useCustomerBlock(customer)
  const { why } = useMay('manageCustomers')
  const pairs = Object.entries(metadata ?? {})

  return (
    <Page
      title={expressCustomerName}
      about={<State isActive={isActive} />}
      actions={
        <>
          <Button
            variant="default"
            leftSection={<IconFolders size={16} />}
            renderRoot={(props) => <Link to="/studies" search={{ customer: expressCustomerId }} {...props} />}
          >
            {words.open}
          </Button>
          {isActive ? (
            <MayButton
              permission="manageCustomers"
              variant="default"
              leftSection={<IconBan size={16} />}
              onClick={() => setIsBlocking(true)}
            >
              {words.deactivate}
            </MayButton>
          ) : (
            <MayButton permission="manageCustomers" leftSection={<IconRestore size={16} />} onClick={unblock}>
              {words.reactivate}
            </MayButton>
          )}
          <MayButton permission="manageCustomers" leftSection={<IconPencil size={16} />} onClick={() => setIsEditing(true)}>
            {words.rename}
          </MayButton>
        </>
      }
    >
      <Back />
      {why !== '' && (
        <Notice tone="info" title={words.mayLook}>
          {why}
        </Notice>
      )}
      {!isActive && (
        <Notice tone="warning" title={words.isBlocked}>
          {words.isBlockedText}
        </Notice>
      )}
      <div className={css.columns}>
        <div className={css.side}>
          <Panel title={words.details}>
            <Facts
              facts={[
                [
                  words.facts.id,
                  <span key="id">
                    <span className="mono">{expressCustomerId}</span> <Copy value={expressCustomerId} what={words.copyId} />
                  </span>,
                ],
                [words.facts.users, numberText(userCount)],
                [words.facts.made, <MadeBy key="made" customer={customer} />],
                [words.facts.since, <Clock key="since" instant={createdAt} />],
                [words.facts.changed, <Clock key="changed" instant={updatedAt} />],
              ]}
            />
          </Panel>
          <Panel title={words.metadata.title}>
            {pairs.length === 0 ? (
              <p className={css.quiet}>{words.metadata.none}</p>
            ) : (
              <dl className={css.metadata}>
                {pairs.map(([name, value]) => [<dt key={name}>{name}</dt>, <dd key={`${name}-value`}>{value}</dd>])}
              </dl>
            )}
          </Panel>
        </div>
        <CustomerUsers customer={customer} />
      </div>
      <FormDrawer opened={isEditing} onClose={() => setIsEditing(false)} size={560} title={words.form.editTitle}>
        {isEditing && <CustomerForm customer={customer} onCancel={() => setIsEditing(false)} onDone={() => setIsEditing(false)} />}
      </FormDrawer>
      <Confirm
        isOpen={isBlocking}
        title={words.deactivateTitle(expressCustomerName)}
        action={words.deactivateAction}
        keep={words.deactivateKeep}
        isBusy={isBusy}
        error={blockError}
        onClose={() => setIsBlocking(false)}
        onConfirm={() =>
          void block().then(
            () => setIsBlocking(false),
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
            <dd>{words.deactivateStaysText(userCount)}</dd>
          </div>
        </dl>
        <p>{words.deactivateUndo}</p>
      </Confirm>
    </Page>
  )
}
