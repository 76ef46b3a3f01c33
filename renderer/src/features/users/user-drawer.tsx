import { Stack, Tabs } from '@mantine/core'
import { useState } from 'react'
import type { Person } from '#shared/contract/dashboard-people.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock, TimeAgo } from '../../ui/clock.tsx'
import { Copy } from '../../ui/copy.tsx'
import { FactList } from '../../ui/page.tsx'
import type { InvitationReply } from './changes.ts'
import type { PersonQuestion } from './confirm-user-action.tsx'
import { PersonCustomers } from './user-customers.tsx'
import { PersonForm } from './user-form.tsx'
import { PersonSignIn } from './user-sign-in.tsx'

const TABS = ['details', 'customers', 'signIn'] as const

/** One person: the record, the customers, and how and where they sign in. */
export function PersonDetails(props: {
  person: Person
  onInvited: (invited: InvitationReply) => void
  onAsk: (question: PersonQuestion) => void
  onDone: () => void
}) {
  const { person, onInvited, onAsk, onDone } = props
  const [tab, setTab] = useState<string | null>('details')
  return (
    <Tabs value={tab} onChange={setTab}>
      <Tabs.List mb="md">
        {TABS.map((one) => (
          <Tabs.Tab key={one} value={one}>
            {t(`ui.users.tabs.${one}`)}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      <Tabs.Panel value="details">
        <Stack>
          <PersonForm person={person} onInvited={onInvited} onDone={onDone} />
          <PersonFacts person={person} />
        </Stack>
      </Tabs.Panel>
      <Tabs.Panel value="customers">
        {tab === 'customers' && <PersonCustomers person={person} />}
      </Tabs.Panel>
      <Tabs.Panel value="signIn">
        {tab === 'signIn' && <PersonSignIn person={person} onAsk={onAsk} />}
      </Tabs.Panel>
    </Tabs>
  )
}

function PersonFacts({ person }: { person: Person }) {
  const { userId, invitedSource, invitation, createdAt, lastLoginAt } = person
  return (
    <FactList
      facts={[
        [
          t('ui.users.facts.id'),
          <span key="id">
            <span className="mono">{userId}</span>{' '}
            <Copy value={userId} what={t('ui.users.copyId')} />
          </span>,
        ],
        // Who invited through the interface is a system without a name.
        [
          t('ui.users.facts.by'),
          (invitedSource === 'dashboard' && invitation && translateMessage(invitation.invitedBy)) ||
            t(`ui.users.facts.sources.${invitedSource}`),
        ],
        [t('ui.users.facts.since'), <Clock key="since" instant={createdAt} />],
        [
          t('ui.users.facts.login'),
          <TimeAgo key="login" instant={lastLoginAt} never={t('ui.users.never')} />,
        ],
      ]}
    />
  )
}
