#ifndef CRABBITMQ_SHIM_H
#define CRABBITMQ_SHIM_H

// Since 0.12 the headers live in a directory of their own; Debian 12 ships 0.11.
#if __has_include(<rabbitmq-c/amqp.h>)
#include <rabbitmq-c/amqp.h>
#include <rabbitmq-c/framing.h>
#include <rabbitmq-c/ssl_socket.h>
#include <rabbitmq-c/tcp_socket.h>
#else
#include <amqp.h>
#include <amqp_framing.h>
#include <amqp_ssl_socket.h>
#include <amqp_tcp_socket.h>
#endif

// Swift does not import C variadic functions.
static inline amqp_rpc_reply_t crabbitmq_login_plain(
    amqp_connection_state_t state, const char *vhost, int channel_max,
    int frame_max, int heartbeat, const amqp_table_t *properties,
    const char *user, const char *password) {
  return amqp_login_with_properties(state, vhost, channel_max, frame_max,
                                    heartbeat, properties,
                                    AMQP_SASL_METHOD_PLAIN, user, password);
}

// Swift does not import macros that cast.
static const amqp_method_number_t CRABBITMQ_CONNECTION_CLOSE =
    AMQP_CONNECTION_CLOSE_METHOD;
static const amqp_method_number_t CRABBITMQ_CONNECTION_BLOCKED =
    AMQP_CONNECTION_BLOCKED_METHOD;
static const amqp_method_number_t CRABBITMQ_CONNECTION_UNBLOCKED =
    AMQP_CONNECTION_UNBLOCKED_METHOD;
static const amqp_method_number_t CRABBITMQ_CHANNEL_CLOSE =
    AMQP_CHANNEL_CLOSE_METHOD;
static const amqp_method_number_t CRABBITMQ_BASIC_DELIVER =
    AMQP_BASIC_DELIVER_METHOD;
static const amqp_method_number_t CRABBITMQ_BASIC_GET_OK =
    AMQP_BASIC_GET_OK_METHOD;
static const amqp_method_number_t CRABBITMQ_BASIC_RETURN =
    AMQP_BASIC_RETURN_METHOD;
static const amqp_method_number_t CRABBITMQ_BASIC_ACK = AMQP_BASIC_ACK_METHOD;
static const amqp_method_number_t CRABBITMQ_BASIC_NACK = AMQP_BASIC_NACK_METHOD;
static const amqp_method_number_t CRABBITMQ_BASIC_CANCEL =
    AMQP_BASIC_CANCEL_METHOD;

static const uint8_t CRABBITMQ_FRAME_METHOD = AMQP_FRAME_METHOD;
static const uint8_t CRABBITMQ_FRAME_HEADER = AMQP_FRAME_HEADER;
static const uint8_t CRABBITMQ_FRAME_BODY = AMQP_FRAME_BODY;

static const amqp_flags_t CRABBITMQ_HAS_CONTENT_TYPE =
    AMQP_BASIC_CONTENT_TYPE_FLAG;
static const amqp_flags_t CRABBITMQ_HAS_CONTENT_ENCODING =
    AMQP_BASIC_CONTENT_ENCODING_FLAG;
static const amqp_flags_t CRABBITMQ_HAS_HEADERS = AMQP_BASIC_HEADERS_FLAG;
static const amqp_flags_t CRABBITMQ_HAS_DELIVERY_MODE =
    AMQP_BASIC_DELIVERY_MODE_FLAG;
static const amqp_flags_t CRABBITMQ_HAS_PRIORITY = AMQP_BASIC_PRIORITY_FLAG;
static const amqp_flags_t CRABBITMQ_HAS_CORRELATION_ID =
    AMQP_BASIC_CORRELATION_ID_FLAG;
static const amqp_flags_t CRABBITMQ_HAS_REPLY_TO = AMQP_BASIC_REPLY_TO_FLAG;
static const amqp_flags_t CRABBITMQ_HAS_EXPIRATION = AMQP_BASIC_EXPIRATION_FLAG;
static const amqp_flags_t CRABBITMQ_HAS_MESSAGE_ID = AMQP_BASIC_MESSAGE_ID_FLAG;
static const amqp_flags_t CRABBITMQ_HAS_TIMESTAMP = AMQP_BASIC_TIMESTAMP_FLAG;
static const amqp_flags_t CRABBITMQ_HAS_TYPE = AMQP_BASIC_TYPE_FLAG;
static const amqp_flags_t CRABBITMQ_HAS_USER_ID = AMQP_BASIC_USER_ID_FLAG;
static const amqp_flags_t CRABBITMQ_HAS_APP_ID = AMQP_BASIC_APP_ID_FLAG;

#endif
