import { Button, PasswordInput, Stack, Text, Title } from '@mantine/core'
import { useQuery } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useEffect, useState } from 'react'
import { dashboardPeople, type OpenInvitation } from '#shared/contract/dashboard-people.ts'
import type { ProblemError } from '../../api/client.ts'
import { call, useSend } from '../../api/queries.ts'
import { type Session, useStartSession } from '../../api/session.ts'
import { ROLE_NAMES } from '../../format/roles.ts'
import { translateMessage } from '../../i18n/messages.ts'
import { t } from '../../i18n/t.ts'
import { AuthLayout } from '../../ui/auth-layout.tsx'
import { Clock } from '../../ui/clock.tsx'
import { ConfirmAction } from '../../ui/confirm.tsx'
import { ErrorNotice, LoadingPlaceholder } from '../../ui/page.tsx'
import { PasswordStrength } from '../../ui/password-hint.tsx'
import { Notice } from '../../ui/tone.tsx'
import { useContractForm } from '../../ui/use-contract-form.ts'

/** What became of it where nobody is signed in by it. */
type End = 'accepted' | 'rejected'

/**
 * Where an invitation's link leads: who invites, and the choice to accept with a password or to
 * reject.
 */
export function AcceptInvitation({ token }: { token: string }) {
  const navigate = useNavigate()
  const [end, setEnd] = useState<End | null>(null)
  // A look, though it is a POST: the token stays out of addresses.
  const invitation = useQuery<OpenInvitation, ProblemError>({
    queryKey: [dashboardPeople.invitation.path, token],
    queryFn: ({ signal }) => call(dashboardPeople.invitation, { body: { token } }, signal),
    enabled: end === null,
    refetchOnWindowFocus: false,
    refetchOnReconnect: false,
    // Looked at anew each time: it may have been accepted or taken back meanwhile.
    gcTime: 0,
    staleTime: 0,
  })

  if (end !== null)
    return (
      <Frame>
        <Notice tone="info" title={t(`ui.accept-invitation.${end}`)}>
          {end === 'accepted'
            ? t('ui.accept-invitation.acceptedText')
            : t('ui.accept-invitation.rejectedText')}
        </Notice>
      </Frame>
    )
  if (invitation.isPending)
    return (
      <Frame>
        <LoadingPlaceholder rows={4} />
      </Frame>
    )
  if (invitation.isError)
    return (
      <Frame>
        {invitation.error.code === 'refused' ? (
          <>
            <Notice tone="danger" title={t('ui.accept-invitation.failed')}>
              {invitation.error.message}
            </Notice>
            <Text>{t('ui.accept-invitation.failedHelp')}</Text>
          </>
        ) : (
          <ErrorNotice error={invitation.error} onRetry={() => void invitation.refetch()} />
        )}
        <Button variant="default" onClick={() => void navigate({ to: '/', replace: true })}>
          {t('ui.accept-invitation.toSignIn')}
        </Button>
      </Frame>
    )
  return (
    <Frame>
      <InvitationChoice token={token} invitation={invitation.data} onEnd={setEnd} />
    </Frame>
  )
}

/** The invitation's page without a token, as after a reload: the address does not keep it. */
export function LinkRequiredNotice() {
  return (
    <Frame>
      <Text>{t('ui.accept-invitation.linkNeeded')}</Text>
    </Frame>
  )
}

function Frame({ children }: { children: ReactNode }) {
  useEffect(() => {
    document.title = `${t('ui.accept-invitation.title')} · Isthmus`
  }, [])
  return (
    <AuthLayout foot={t('ui.accept-invitation.foot')} screen="/invitation">
      <Stack>
        <Title order={1}>{t('ui.accept-invitation.title')}</Title>
        {children}
      </Stack>
    </AuthLayout>
  )
}

function InvitationChoice(props: {
  token: string
  invitation: OpenInvitation
  onEnd: (end: End) => void
}) {
  const { token, invitation, onEnd } = props
  const navigate = useNavigate()
  const enter = useStartSession()
  const accept = useSend(dashboardPeople.acceptInvitation)
  const [isRejecting, setIsRejecting] = useState(false)
  const { form, submit } = useContractForm({
    operation: dashboardPeople.acceptInvitation,
    initialValues: { password: '' },
    bodyOf: ({ password }) => ({ token, password }),
    send(body, onError) {
      const onSuccess = (session: Session) => {
        if (!session.user) return onEnd('accepted')
        enter(session)
        void navigate({ to: '/', replace: true })
      }
      accept.mutate({ body }, { onSuccess, onError })
    },
  })
  const { firstName, lastName, email, clinicName, clinicRole, invitedBy, expiry } = invitation
  return (
    <form onSubmit={submit} noValidate>
      <Stack>
        <Text>
          {t('ui.accept-invitation.hello', { name: `${firstName} ${lastName}` })}{' '}
          {clinicName
            ? t('ui.accept-invitation.invites', {
                by: translateMessage(invitedBy),
                clinic: clinicName,
              })
            : t('ui.accept-invitation.invitesUnnamed', { by: translateMessage(invitedBy) })}
        </Text>
        <Text c="dimmed">
          {clinicRole === 'Other'
            ? t('ui.accept-invitation.asNobody')
            : t('ui.accept-invitation.as', { role: ROLE_NAMES[clinicRole] })}{' '}
          <b>{email}</b>.
          {expiry !== null && (
            <>
              {' '}
              {t('ui.accept-invitation.until')} <Clock instant={expiry} />.
            </>
          )}
        </Text>
        {accept.error && accept.error.errors.length === 0 && <ErrorNotice error={accept.error} />}
        {/* For the browser's password store, which files the password under this name. */}
        <input type="email" name="username" autoComplete="username" value={email} readOnly hidden />
        <PasswordInput
          label={t('ui.accept-invitation.password')}
          description={t('ui.accept-invitation.passwordAbout')}
          autoComplete="new-password"
          autoFocus
          {...form.getInputProps('password')}
        />
        <PasswordStrength
          password={form.values.password}
          own={[firstName, lastName, email, clinicName]}
        />
        <Button type="submit" size="md" loading={accept.isPending}>
          {t('ui.accept-invitation.accept')}
        </Button>
        <Button variant="subtle" color="red" onClick={() => setIsRejecting(true)}>
          {t('ui.accept-invitation.reject')}
        </Button>
      </Stack>
      <RejectionDialog
        token={token}
        isOpen={isRejecting}
        onEnd={onEnd}
        onClose={() => setIsRejecting(false)}
      />
    </form>
  )
}

function RejectionDialog(props: {
  token: string
  isOpen: boolean
  onEnd: (end: End) => void
  onClose: () => void
}) {
  const { token, isOpen, onEnd, onClose } = props
  const reject = useSend(dashboardPeople.rejectInvitation)
  return (
    <ConfirmAction
      isOpen={isOpen}
      title={t('ui.accept-invitation.rejectTitle')}
      action={t('ui.accept-invitation.reject')}
      isBusy={reject.isPending}
      error={reject.error}
      onClose={onClose}
      onConfirm={() => reject.mutate({ body: { token } }, { onSuccess: () => onEnd('rejected') })}
    >
      {t('ui.accept-invitation.rejectText')}
    </ConfirmAction>
  )
}
