import { ActionIcon, Button, Group, Tooltip } from '@mantine/core'
import { IconLogout, IconShieldOff } from '@tabler/icons-react'
import type { Person } from '#shared/contract/dashboard-people.ts'
import { dashboardSecurity, type OpenSession } from '#shared/contract/dashboard-security.ts'
import { useReply } from '../../api/queries.ts'
import { useSession } from '../../api/session.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { Clock, TimeAgo } from '../../ui/clock.tsx'
import { FormPart } from '../../ui/form-part.tsx'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { Tag } from '../../ui/tone.tsx'
import type { PersonQuestion } from './confirm-user-action.tsx'
import { editObstacle } from './state.ts'
import css from './users.module.css'

const POLL_MS = 20_000

/** A person's second factor and open windows, and how each is ended. */
export function PersonSignIn({
  person,
  onAsk,
}: {
  person: Person
  onAsk: (question: PersonQuestion) => void
}) {
  const { secondFactorSince } = person
  const isOwnerOnly = editObstacle(person, useSession().data?.user?.level === 'owner') === 'owner'
  return (
    <>
      <FormPart title={t('ui.users.signIn.factor')}>
        <div className={css.part}>
          <div>
            <Tag tone={secondFactorSince === null ? 'plain' : 'good'}>
              {secondFactorSince === null
                ? t('ui.users.signIn.factorOff')
                : t('ui.users.signIn.factorOn')}
            </Tag>
          </div>
          {secondFactorSince === null ? (
            <p className={css.quiet}>{t('ui.users.signIn.factorOffText')}</p>
          ) : (
            <>
              <p className={css.quiet}>
                {t('ui.users.signIn.factorSince')} <Clock instant={secondFactorSince} />.{' '}
                {t('ui.users.signIn.resetAbout')}
              </p>
              {isOwnerOnly ? (
                <p className={css.quiet}>{t('ui.users.notEditable.owner')}</p>
              ) : (
                <div>
                  <Button
                    size="xs"
                    variant="default"
                    leftSection={<IconShieldOff size={15} />}
                    onClick={() => onAsk({ kind: 'factor', person })}
                  >
                    {t('ui.users.signIn.reset')}
                  </Button>
                </div>
              )}
            </>
          )}
        </div>
      </FormPart>
      <FormPart title={t('ui.users.signIn.sessions')}>
        <Sessions person={person} isOwnerOnly={isOwnerOnly} onAsk={onAsk} />
      </FormPart>
    </>
  )
}

function Sessions({
  person,
  isOwnerOnly: isKept,
  onAsk,
}: {
  person: Person
  isOwnerOnly: boolean
  onAsk: (question: PersonQuestion) => void
}) {
  const reply = useReply(dashboardSecurity.sessions, {}, { every: POLL_MS })
  if (reply.isPending) return <LoadingPlaceholder rows={2} height={44} />
  if (reply.isError) return <ErrorNotice error={reply.error} onRetry={() => void reply.refetch()} />
  const sessions = reply.data.sessions.filter(({ user }) => user.userId === person.userId)
  const others = sessions.filter(({ isThis }) => !isThis)
  const end = (ended: readonly OpenSession[]) =>
    onAsk({ kind: 'sessions', person, sessionIds: ended.map(({ sessionId }) => sessionId) })
  if (sessions.length === 0) return <p className={css.quiet}>{t('ui.users.signIn.none')}</p>
  return (
    <div className={css.part}>
      <ul className={css.lines} aria-label={t('ui.users.signIn.sessionsLabel')}>
        {sessions.map((session) => (
          <Line
            key={session.sessionId}
            session={session}
            onEnd={session.isThis || isKept ? undefined : () => end([session])}
          />
        ))}
      </ul>
      {others.length > 0 && !isKept && (
        <div>
          <Button
            size="xs"
            variant="default"
            leftSection={<IconLogout size={15} />}
            onClick={() => end(others)}
          >
            {t('ui.users.signIn.everywhere')}
          </Button>
        </div>
      )}
    </div>
  )
}

function Line({ session, onEnd }: { session: OpenSession; onEnd: (() => void) | undefined }) {
  const { browser, place, address, isThis, isLocked, createdAt, lastUsedAt } = session
  const where = [
    browser ? translateMessage(browser) : t('ui.users.signIn.unknownBrowser'),
    translateMessage(place) || address,
  ].join(', ')
  return (
    <li>
      <div>
        <Group gap={8}>
          {where}
          {isThis && <Tag tone="info">{t('ui.users.signIn.isThis')}</Tag>}
          {isLocked && <Tag tone="plain">{t('ui.users.signIn.locked')}</Tag>}
        </Group>
        <div className={css.under}>
          {address} · {t('ui.users.signIn.began')} <Clock instant={createdAt} /> ·{' '}
          {t('ui.users.signIn.used')} <TimeAgo instant={lastUsedAt} />
        </div>
      </div>
      {onEnd && (
        <Tooltip label={t('ui.users.signIn.end', { where })}>
          <ActionIcon aria-label={t('ui.users.signIn.end', { where })} onClick={onEnd}>
            <IconLogout size={17} />
          </ActionIcon>
        </Tooltip>
      )}
    </li>
  )
}
