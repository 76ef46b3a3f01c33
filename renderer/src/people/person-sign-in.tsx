import { ActionIcon, Button, Group, Tooltip } from '@mantine/core'
import { IconLogout, IconShieldOff } from '@tabler/icons-react'
import type { Person } from '#shared/contract/dashboard-people.ts'
import { dashboardSecurity, type OpenSession } from '#shared/contract/dashboard-security.ts'
import { Ago, Clock } from '../components/clock.tsx'
import { FormPart } from '../components/form-part.tsx'
import { Failed, Waiting } from '../components/page.tsx'
import { Tag } from '../components/tone.tsx'
import { useReply } from '../gateway.ts'
import { said } from '../i18n/said.ts'
import { t } from '../i18n/t.ts'
import { useSession } from '../session.ts'
import type { PersonQuestion } from './ask-person.tsx'
import css from './people.module.css'
import { keptFrom } from './state.ts'

const EVERY_MS = 20_000

/** A person's second factor and open windows, and how each is ended. */
export function PersonSignIn({
  person,
  onAsk,
}: {
  person: Person
  onAsk: (question: PersonQuestion) => void
}) {
  const { secondFactorSince } = person
  const isKept = keptFrom(person, useSession().data?.user?.level === 'owner') === 'owner'
  return (
    <>
      <FormPart title={t('ui.people.signIn.factor')}>
        <div className={css.part}>
          <div>
            <Tag tone={secondFactorSince === null ? 'plain' : 'good'}>
              {secondFactorSince === null
                ? t('ui.people.signIn.factorOff')
                : t('ui.people.signIn.factorOn')}
            </Tag>
          </div>
          {secondFactorSince === null ? (
            <p className={css.quiet}>{t('ui.people.signIn.factorOffText')}</p>
          ) : (
            <>
              <p className={css.quiet}>
                {t('ui.people.signIn.factorSince')} <Clock instant={secondFactorSince} />.{' '}
                {t('ui.people.signIn.resetAbout')}
              </p>
              {isKept ? (
                <p className={css.quiet}>{t('ui.people.notEditable.owner')}</p>
              ) : (
                <div>
                  <Button
                    size="xs"
                    variant="default"
                    leftSection={<IconShieldOff size={15} />}
                    onClick={() => onAsk({ kind: 'factor', person })}
                  >
                    {t('ui.people.signIn.reset')}
                  </Button>
                </div>
              )}
            </>
          )}
        </div>
      </FormPart>
      <FormPart title={t('ui.people.signIn.sessions')}>
        <Sessions person={person} isKept={isKept} onAsk={onAsk} />
      </FormPart>
    </>
  )
}

function Sessions({
  person,
  isKept,
  onAsk,
}: {
  person: Person
  isKept: boolean
  onAsk: (question: PersonQuestion) => void
}) {
  const reply = useReply(dashboardSecurity.sessions, {}, { every: EVERY_MS })
  if (reply.isPending) return <Waiting rows={2} height={44} />
  if (reply.isError) return <Failed error={reply.error} onRetry={() => void reply.refetch()} />
  const sessions = reply.data.sessions.filter(({ user }) => user.userId === person.userId)
  const others = sessions.filter(({ isThis }) => !isThis)
  const end = (ended: readonly OpenSession[]) =>
    onAsk({ kind: 'sessions', person, sessionIds: ended.map(({ sessionId }) => sessionId) })
  if (sessions.length === 0) return <p className={css.quiet}>{t('ui.people.signIn.none')}</p>
  return (
    <div className={css.part}>
      <ul className={css.lines} aria-label={t('ui.people.signIn.sessionsLabel')}>
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
            {t('ui.people.signIn.everywhere')}
          </Button>
        </div>
      )}
    </div>
  )
}

function Line({ session, onEnd }: { session: OpenSession; onEnd: (() => void) | undefined }) {
  const { browser, place, address, isThis, isLocked, createdAt, lastUsedAt } = session
  const where = [
    browser ? said(browser) : t('ui.people.signIn.unknownBrowser'),
    said(place) || address,
  ].join(', ')
  return (
    <li>
      <div>
        <Group gap={8}>
          {where}
          {isThis && <Tag tone="info">{t('ui.people.signIn.isThis')}</Tag>}
          {isLocked && <Tag tone="plain">{t('ui.people.signIn.locked')}</Tag>}
        </Group>
        <div className={css.under}>
          {address} · {t('ui.people.signIn.began')} <Clock instant={createdAt} /> ·{' '}
          {t('ui.people.signIn.used')} <Ago instant={lastUsedAt} />
        </div>
      </div>
      {onEnd && (
        <Tooltip label={t('ui.people.signIn.end', { where })}>
          <ActionIcon aria-label={t('ui.people.signIn.end', { where })} onClick={onEnd}>
            <IconLogout size={17} />
          </ActionIcon>
        </Tooltip>
      )}
    </li>
  )
}
