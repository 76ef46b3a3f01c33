import type { Sentence } from '../catalogue.ts'

export const MAIL: readonly Sentence[] = [
  [
    'The mail server took the message. Look whether it arrives.',
    'El servidor de correo aceptó el mensaje. Compruebe si llega.',
  ],
  ['Not sent: {}.', 'No se envió: {0}.'],
  ['must be given with a host', 'debe indicarse con un host'],
  [
    'must be starttls or tls where a user name and a password are sent',
    'debe ser starttls o tls si se envían usuario y contraseña',
  ],
  ['the mail server refused the connection', 'el servidor de correo rechazó la conexión'],
  ['the name of the mail server is not known', 'no se conoce el nombre del servidor de correo'],
  ['the name server did not answer', 'el servidor de nombres no respondió'],
  ['the mail server closed the connection', 'el servidor de correo cerró la conexión'],
  [
    'the connection to the mail server broke',
    'se interrumpió la conexión con el servidor de correo',
  ],
  ['the mail server did not answer in time', 'el servidor de correo no respondió a tiempo'],
  ['there is no route to the mail server', 'no hay ruta hasta el servidor de correo'],
  [
    'the mail server did not accept user name and password',
    'el servidor de correo no aceptó el usuario y la contraseña',
  ],
  [
    'user name or password for the mail server is missing',
    'falta el usuario o la contraseña del servidor de correo',
  ],
  [
    'the mail server offers no secure connection (STARTTLS)',
    'el servidor de correo no ofrece conexión segura (STARTTLS)',
  ],
  [
    'the mail server answered in a form that is not SMTP',
    'el servidor de correo respondió en una forma que no es SMTP',
  ],
  [
    'the mail server did not take the sender or the recipient',
    'el servidor de correo no aceptó el remitente o el destinatario',
  ],
  ['the mail server did not take the message', 'el servidor de correo no aceptó el mensaje'],
  [
    'the certificate of the mail server has expired',
    'el certificado del servidor de correo ha caducado',
  ],
  [
    'the certificate of the mail server is for another host name',
    'el certificado del servidor de correo es para otro nombre de host',
  ],
  [
    'the certificate of the mail server is not one this PC trusts',
    'el certificado del servidor de correo no es de los que confía este PC',
  ],
  ['the mail could not be sent', 'no se pudo enviar el correo'],
  ['{} (reply {})', '{0} (respuesta {1})'],
  ['no mail server is set', 'no hay servidor de correo configurado'],
  [
    'the mail can no longer be read from the database',
    'el correo ya no se puede leer de la base de datos',
  ],
  [
    'the invitation expired before it could be sent',
    'la invitación caducó antes de poder enviarse',
  ],
  [
    'user name and password would cross the network in plain text',
    'el usuario y la contraseña cruzarían la red en texto claro',
  ],
]
