import type { Sentence } from '../catalogue.ts'

export const SETTINGS: readonly Sentence[] = [
  [
    'The clinicId sent to the partner; minted at the first start.',
    'El clinicId que se envía al socio; se crea en el primer inicio.',
  ],
  [
    'Name of the clinic, shown in the window and returned as InstitutionName.',
    'Nombre de la clínica, que se muestra en la ventana y se devuelve como InstitutionName.',
  ],
  [
    'Time zone of the clinic day; local is that of this PC.',
    'Zona horaria del día de la clínica; local es la de este PC.',
  ],
  ['Address the DIMSE listener binds to.', 'Dirección en la que escucha el servicio DIMSE.'],
  ['TCP port of the DIMSE listener.', 'Puerto TCP del servicio DIMSE.'],
  ['Application Entity title of the gateway.', 'AE title (Application Entity) de la pasarela.'],
  [
    'A wrong called AE title is noted (warn) or rejected (strict).',
    'Un AE title llamado incorrecto se anota (warn) o se rechaza (strict).',
  ],
  [
    'Serve callers that are not in the device list.',
    'Atender a quienes no están en la lista de dispositivos.',
  ],
  [
    'Associations open at once, of all devices.',
    'Conexiones abiertas a la vez, de todos los dispositivos.',
  ],
  ['Associations open at once, of one device.', 'Conexiones abiertas a la vez, de un dispositivo.'],
  [
    'Seconds a connection may take to ask for an association (ARTIM).',
    'Segundos que puede tardar una conexión en pedir una asociación (ARTIM).',
  ],
  [
    'Seconds of silence after which an association is aborted.',
    'Segundos de silencio tras los que se aborta una asociación.',
  ],
  [
    'TCP port of the DICOM TLS listener, beside the plain one; without one it is off.',
    'Puerto TCP del servicio DICOM TLS, además del normal; sin él está desactivado.',
  ],
  [
    'Certificates (PEM) of the authorities that issue the certificates of devices, for devices that must show one.',
    'Certificados (PEM) de las autoridades que emiten los certificados de los dispositivos, para los que deben mostrar uno.',
  ],
  ['Address the HTTP listener binds to.', 'Dirección en la que escucha el servicio HTTP.'],
  ['TCP port of the HTTP listener.', 'Puerto TCP del servicio HTTP.'],
  [
    'Base of every URL given out (report PDF, viewer, invitation). Until it is set they use the loopback address.',
    'Base de todas las URL que se dan (PDF de informes, visor, invitación). Hasta que se define, usan la dirección local.',
  ],
  [
    'Further host names under which the window and the interface answer.',
    'Otros nombres de host con los que responden la ventana y la interfaz.',
  ],
  [
    'Open the window and the interface to the network of the clinic, by HTTPS under the gateway’s own certificate.',
    'Abrir la ventana y la interfaz a la red de la clínica, por HTTPS con el certificado de la propia pasarela.',
  ],
  ['Address the HTTPS listener binds to.', 'Dirección en la que escucha el servicio HTTPS.'],
  ['TCP port of the HTTPS listener.', 'Puerto TCP del servicio HTTPS.'],
  [
    'Minutes without use after which a window is locked; its person unlocks it with the password.',
    'Minutos sin uso tras los que una ventana se bloquea; su usuario la desbloquea con la contraseña.',
  ],
  [
    'Hours after which a person signs in anew, however the window is used.',
    'Horas tras las que una persona inicia sesión de nuevo, use como use la ventana.',
  ],
  [
    'The first-run wizard was gone through, or was put aside for good.',
    'El asistente de configuración inicial se completó o se dejó de lado definitivamente.',
  ],
  [
    'Folder that back-ups are written to; best on another disk.',
    'Carpeta en la que se escriben las copias de seguridad; mejor en otro disco.',
  ],
  ['must be the name of a back-up', 'debe ser el nombre de una copia de seguridad'],
  ['must be your password', 'debe ser su contraseña'],
  ['must be a time such as 02:30', 'debe ser una hora como 02:30'],
  ['must be a time such as 03:30', 'debe ser una hora como 03:30'],
  [
    'Time of the clinic’s day at which a back-up is made; without one none is made by itself.',
    'Hora del día de la clínica en que se hace una copia de seguridad; sin ella no se hace ninguna por sí sola.',
  ],
  [
    'Minutes between back-ups for a standby, beside the daily one; what was written since the last is what a loss of this PC loses.',
    'Minutos entre copias de seguridad para una réplica, además de la diaria; lo escrito desde la última es lo que se pierde con este PC.',
  ],
  [
    'Days of which the last back-up is kept.',
    'Días de los que se conserva la última copia de seguridad.',
  ],
  [
    'Weeks of which the last back-up is kept.',
    'Semanas de las que se conserva la última copia de seguridad.',
  ],
  [
    'Months of which the last back-up is kept.',
    'Meses de los que se conserva la última copia de seguridad.',
  ],
  [
    'Install an update that was downloaded by itself, in the hour of maintenance.',
    'Instalar por sí sola, en la hora de mantenimiento, una actualización que ya se descargó.',
  ],
  [
    'Time of the clinic’s day at which the hour of maintenance begins, in which updates may be installed.',
    'Hora del día de la clínica en que comienza la hora de mantenimiento, en la que se pueden instalar actualizaciones.',
  ],
  [
    'Days the connections of devices are kept, with what happened on them.',
    'Días que se guardan las conexiones de los dispositivos, con lo que ocurrió en ellas.',
  ],
  [
    'Host of the clinic’s audit collector (syslog over TLS), which gets each entry of the audit trail; without one nothing is sent.',
    'Host del colector de auditoría de la clínica (syslog por TLS), que recibe cada entrada del registro de auditoría; sin él no se envía nada.',
  ],
  ['TCP port of the audit collector.', 'Puerto TCP del colector de auditoría.'],
  [
    'Certificates (PEM) of the authorities that issued the certificate of the audit collector, where that is not a public one.',
    'Certificados (PEM) de las autoridades que emitieron el certificado del colector de auditoría, si no es uno público.',
  ],
  [
    'Show the audit collector the certificate of the gateway for DICOM by TLS, where it asks for one.',
    'Mostrar al colector de auditoría el certificado de la pasarela para DICOM por TLS, si pide uno.',
  ],
  [
    'Host of the SMTP server that sends invitations. Until it is set, the inviter hands the link over.',
    'Host del servidor SMTP que envía las invitaciones. Hasta que se define, quien invita entrega el enlace.',
  ],
  [
    'TCP port of the SMTP server: 587 with starttls, 465 with tls.',
    'Puerto TCP del servidor SMTP: 587 con starttls, 465 con tls.',
  ],
  [
    'The connection must be upgraded to TLS (starttls), begins with TLS (tls), or is in plain text (none), for a relay on this network only.',
    'La conexión debe pasar a TLS (starttls), empieza con TLS (tls) o va en texto claro (none), solo para un servidor de esta red.',
  ],
  [
    'User name at the SMTP server; without one it is not asked to sign in.',
    'Nombre de usuario en el servidor SMTP; sin él no se inicia sesión en el servidor.',
  ],
  [
    'Certificate (PEM) of the SMTP server or of its issuer, where that is not a public one.',
    'Certificado (PEM) del servidor SMTP o de su emisor, cuando no es público.',
  ],
  ['Address that invitations are sent from.', 'Dirección desde la que se envían las invitaciones.'],
  [
    'Calls a second that one API key may make in the long run; without a valid key, one address.',
    'Llamadas por segundo que puede hacer una clave de API de forma sostenida; sin clave válida, una dirección.',
  ],
  [
    'Calls that one API key may make at once after a pause; without a valid key, one address.',
    'Llamadas que puede hacer de una vez una clave de API tras una pausa; sin clave válida, una dirección.',
  ],
  [
    'Minutes within which a link to the viewer may be followed, once.',
    'Minutos en los que se puede seguir, una vez, un enlace al visor.',
  ],
  [
    'Hours after which a view of a study ends, however it is used.',
    'Horas tras las que termina una vista de un estudio, se use como se use.',
  ],
  [
    'Minutes without a sign of life after which a view of a study ends.',
    'Minutos sin señales de vida tras los que termina una vista de un estudio.',
  ],
  [
    'Disk space in GB for images fetched from the partner; those not looked at for longest make room.',
    'Espacio en disco en GB para imágenes obtenidas del socio; las que hace más tiempo que no se miran dejan sitio.',
  ],
  [
    'Hosts (host:port) that may be called by plain http or at a private address.',
    'Hosts (host:port) a los que se puede llamar por http sin cifrar o en una dirección privada.',
  ],
  [
    'Seconds an answer of the partner is used again without asking; 0 asks every time.',
    'Segundos que una respuesta del socio se reutiliza sin preguntar; 0 pregunta siempre.',
  ],
  [
    'Seconds the whole call to the partner may take.',
    'Segundos que puede durar toda la llamada al socio.',
  ],
  [
    'Minutes the last good answer is served by itself when the partner cannot be asked.',
    'Minutos que la última respuesta válida se sirve automáticamente cuando no se puede preguntar al socio.',
  ],
  [
    'Hours the last good answer may be served in downtime mode, on the same day only.',
    'Horas que la última respuesta válida puede servirse en modo de contingencia, solo el mismo día.',
  ],
  [
    'Days before today that a query without a date asks for.',
    'Días anteriores a hoy que pide una consulta sin fecha.',
  ],
  [
    'Days after today that a query without a date asks for.',
    'Días posteriores a hoy que pide una consulta sin fecha.',
  ],
  [
    'Rows sent to one query; more are cut and the query ends with A700.',
    'Filas que se envían a una consulta; las demás se cortan y la consulta termina con A700.',
  ],
  [
    'A step whose images have arrived is taken off the worklist, for devices that report no performed steps (MPPS).',
    'Un paso cuyas imágenes han llegado se quita de la lista de trabajo, para dispositivos que no comunican pasos realizados (MPPS).',
  ],
  [
    'Areas in which a study appears by itself once its images are here: scribe, viewer, both, or none.',
    'Áreas en las que un estudio aparece automáticamente cuando sus imágenes están aquí: scribe, viewer, ambas o ninguna.',
  ],
  [
    'Seconds without an image after which a study is taken for complete.',
    'Segundos sin imágenes tras los que un estudio se da por completo.',
  ],
  [
    'Minutes after its first image in which a study appears at the latest.',
    'Minutos tras su primera imagen en los que un estudio aparece como muy tarde.',
  ],
  [
    'Keep objects of storage classes that DICOM does not define, such as those of one vendor.',
    'Guardar objetos de clases de almacenamiento que DICOM no define, como las de un fabricante.',
  ],
  [
    'Let a device change and end the performed steps (MPPS) of another: for consoles that begin a step under one AE title and end it under another.',
    'Permitir que un dispositivo cambie y termine los pasos realizados (MPPS) de otro: para consolas que empiezan un paso con un AE title y lo terminan con otro.',
  ],
  [
    'Free disk space in GB below which the window warns.',
    'Espacio libre en disco en GB por debajo del cual la ventana avisa.',
  ],
  [
    'Free disk space in GB below which no more images are taken.',
    'Espacio libre en disco en GB por debajo del cual no se aceptan más imágenes.',
  ],
  [
    'Confirm storage to devices that ask (storage commitment): they may then delete their images, so have a back-up first.',
    'Confirmar el almacenamiento a los dispositivos que lo piden (storage commitment): entonces pueden borrar sus imágenes, así que tenga antes una copia de seguridad.',
  ],
  [
    'Hours for which an instance is tried again at a destination that does not take it.',
    'Horas durante las que se reintenta una instancia en un destino que no la acepta.',
  ],
  ['Paper of the PDF of a report.', 'Papel del PDF de un informe.'],
  [
    'Lines at the head of the PDF of a report, below the name of the clinic.',
    'Líneas de la cabecera del PDF de un informe, debajo del nombre de la clínica.',
  ],
  [
    'Keep a signed report as DICOM objects (Encapsulated PDF and Basic Text SR) beside the images of its study.',
    'Guardar un informe firmado como objetos DICOM (Encapsulated PDF y Basic Text SR) junto a las imágenes de su estudio.',
  ],
  [
    'Destination that signed reports are sent to as DICOM objects; without one they are sent only when asked.',
    'Destino al que se envían los informes firmados como objetos DICOM; sin él solo se envían cuando se pide.',
  ],
  [
    'Seconds for which a report stays taken after the last sign of life of the window that writes it.',
    'Segundos que un informe sigue ocupado tras la última señal de vida de la ventana que lo redacta.',
  ],
  [
    'Hours for which a signing secret that was replaced goes on signing beside the new one.',
    'Horas que un secreto de firma sustituido sigue firmando junto al nuevo.',
  ],
  [
    'Days an event and the answers to it are kept; one that waits is kept longer.',
    'Días que se guardan un evento y sus respuestas; uno que espera se guarda más tiempo.',
  ],
  [
    'Hours a worklist query and the answers it used are kept.',
    'Horas que se guardan una consulta de lista de trabajo y las respuestas que usó.',
  ],
  [
    'must be an IANA time zone such as Europe/Berlin, or local',
    'debe ser una zona horaria IANA como Europe/Berlin, o local',
  ],
  ['must be host:port', 'debe ser host:port'],
  ['must name an area once', 'debe indicar cada área una sola vez'],
]
