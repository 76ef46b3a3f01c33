import { Button, Fieldset, Group, Select, SimpleGrid, Stack, Switch, Text, TextInput } from '@mantine/core'
import { useForm } from '@mantine/form'
import { dashboardPeople, type Person } from '#shared/contract/dashboard-people.ts'
import { CLINIC_ROLES, type ClinicRole, type Level } from '#shared/contract/people.ts'
import type { ReplyOf } from '#shared/operation.ts'
import { faultsByField, type ProblemError } from '../client.ts'
import { Failed } from '../components/page.tsx'
import { Notice } from '../components/tone.tsx'
import { showDone } from '../components/undo.tsx'
import { useSend } from '../gateway.ts'
import { said } from '../language/said.ts'
import { useSession } from '../session.ts'
import { LEVEL_NAMES, ROLE_NAMES } from './roles.ts'
import { keptFrom } from './state.ts'
import { words } from './words.ts'

const { form: texts } = words
const OPTIONAL = ['middleName', 'suffix1', 'suffix2', 'phoneNumber', 'npiNumber'] as const
const RIGHTS = ['hasDashboardAccess', 'canManageStudies', 'canCreateReports'] as const

interface Values extends Record<(typeof OPTIONAL)[number] | 'email' | 'firstName' | 'lastName', string> {
  /** Nobody is given a role that was not chosen. */
  clinicRole: ClinicRole | null
  level: Level
  hasDashboardAccess: boolean
  canManageStudies: boolean
  canCreateReports: boolean
}

/** Invites a person, or changes one. `like` is who is invited once more. */
export function PersonForm(props: {
  person: Person | null
  like?: Person | null
  onInvited: (invited: ReplyOf<typeof dashboardPeople.invitePerson>) => void
  onDone: () => void
}) {
  const { person, like = null, onInvited, onDone } = props
  const given = person ?? like
  const isOwner = useSession().data?.user?.level === 'owner'
  const invite = useSend(dashboardPeople.invitePerson, [dashboardPeople.people])
  const update = useSend(dashboardPeople.updatePerson, [dashboardPeople.people])
  const form = useForm<Values>({
    initialValues: {
      email: given?.email ?? '',
      firstName: given?.firstName ?? '',
      lastName: given?.lastName ?? '',
      middleName: given?.middleName ?? '',
      suffix1: given?.suffix1 ?? '',
      suffix2: given?.suffix2 ?? '',
      phoneNumber: given?.phoneNumber ?? '',
      npiNumber: given?.npiNumber ?? '',
      clinicRole: given?.clinicRole ?? null,
      level: given?.level ?? 'member',
      hasDashboardAccess: given?.hasDashboardAccess ?? true,
      canManageStudies: given?.canManageStudies ?? false,
      canCreateReports: given?.canCreateReports ?? false,
    },
    validate: (values) => {
      const parsed = (person ? dashboardPeople.updatePerson.body : dashboardPeople.invitePerson.body).safeParse(bodyOf(values, person))
      const faults = parsed.success ? [] : parsed.error.issues.map((issue) => [issue.path.join('.'), said(issue.message)] as const)
      return { ...Object.fromEntries(faults), ...(values.clinicRole === null && { clinicRole: texts.chooseRole }) }
    },
  })
  const onError = (error: ProblemError) => form.setErrors(faultsByField(error))
  const submit = form.onSubmit((values) => {
    const body = bodyOf(values, person)
    if (person) {
      const onSuccess = () => {
        showDone(words.saved(nameOf(person)))
        onDone()
      }
      return update.mutate({ params: { userId: person.userId }, body }, { onSuccess, onError })
    }
    invite.mutate(
      { body: body as Parameters<typeof invite.mutate>[0]['body'] },
      {
        onSuccess(invited) {
          onDone()
          onInvited(invited)
        },
        onError,
      },
    )
  })
  const error = invite.error ?? update.error
  const kept = person && keptFrom(person, isOwner)
  // An owner is made of a user by an owner; nobody is invited as one.
  const levels: Level[] = person && isOwner ? ['member', 'admin', 'owner'] : ['member', 'admin']

  return (
    <form onSubmit={submit} noValidate>
      <Fieldset variant="unstyled" disabled={Boolean(kept)}>
        <Stack>
          {kept && <Notice tone="info">{words.notEditable[kept]}</Notice>}
          <Text fw={600}>{texts.who}</Text>
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput label={texts.firstName} required data-autofocus {...form.getInputProps('firstName')} />
            <TextInput label={texts.lastName} required {...form.getInputProps('lastName')} />
          </SimpleGrid>
          <TextInput
            label={texts.email}
            description={texts.emailAbout}
            type="email"
            required
            readOnly={person !== null}
            {...form.getInputProps('email')}
          />
          <Select
            label={texts.clinicRole}
            placeholder={texts.roleAbout}
            data={CLINIC_ROLES.map((value) => ({ value, label: ROLE_NAMES[value] }))}
            allowDeselect={false}
            required
            searchable
            {...form.getInputProps('clinicRole')}
          />
          <SimpleGrid cols={{ base: 1, xs: 2 }}>
            <TextInput label={texts.middleName} {...form.getInputProps('middleName')} />
            <TextInput label={texts.phoneNumber} placeholder={texts.phoneAbout} inputMode="tel" {...form.getInputProps('phoneNumber')} />
            <TextInput label={texts.suffix1} {...form.getInputProps('suffix1')} />
            <TextInput label={texts.suffix2} {...form.getInputProps('suffix2')} />
          </SimpleGrid>
          <Text fw={600}>{texts.rights}</Text>
          <Select
            label={texts.level}
            description={texts.levelAbout}
            allowDeselect={false}
            data={levels.map((level) => ({ value: level, label: LEVEL_NAMES[level] }))}
            {...form.getInputProps('level')}
          />
          {RIGHTS.map((name) => (
            <Switch key={name} label={texts[name][0]} description={texts[name][1]} {...form.getInputProps(name, { type: 'checkbox' })} />
          ))}
          <TextInput
            label={texts.npiNumber}
            description={texts.npiAbout}
            inputMode="numeric"
            maxLength={10}
            {...form.getInputProps('npiNumber')}
          />
          {error && error.errors.length === 0 && <Failed error={error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={onDone}>
              {texts.cancel}
            </Button>
            <Button type="submit" loading={invite.isPending || update.isPending}>
              {person ? texts.save : texts.submit}
            </Button>
          </Group>
        </Stack>
      </Fieldset>
    </form>
  )
}

export const nameOf = ({ firstName, lastName }: Pick<Person, 'firstName' | 'lastName'>): string => `${firstName} ${lastName}`

/** What is empty is left out of an invitation, and cleared by a change. */
function bodyOf(values: Values, person: Person | null): Record<string, unknown> {
  const { email, ...body } = values
  const given: Record<string, unknown> = { ...body, ...(!person && { email }) }
  for (const name of OPTIONAL) {
    const text = values[name].trim()
    if (text !== '') given[name] = text
    else if (person?.[name] !== undefined) given[name] = null
    else delete given[name]
  }
  return given
}
