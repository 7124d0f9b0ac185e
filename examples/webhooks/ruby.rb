# A webhook receiver using only Ruby's standard library:  WEBHOOK_SECRET=whsec_… ruby examples/webhooks/ruby.rb

require 'json'
require 'openssl'
require 'socket'

SECRET = ENV.fetch('WEBHOOK_SECRET')
abort 'Set WEBHOOK_SECRET to the signing key: whsec_…' unless SECRET.start_with?('whsec_')
KEY = SECRET.delete_prefix('whsec_').unpack1('m')
MOST_BYTES = 5_000_000

# Ids of handled events. In production use a table with a unique column, written in the same transaction as your own work.
HANDLED = {}
ONE_AT_A_TIME = Mutex.new

# Your own reaction to the event. You have 15 seconds to respond, so queue slow work.
def handle(delivery, id)
  $stdout.puts "#{delivery['event']} #{delivery['payload']['id']} #{id}"
  $stdout.flush
end

# body: the raw bytes as received. Parsing and serializing again may change them.
def genuine?(headers, body)
  id, sent = headers.values_at('webhook-id', 'webhook-timestamp')
  return false unless /\A\d+\z/.match?(sent.to_s) && (Time.now.to_i - sent.to_i).abs <= 300

  digest = OpenSSL::HMAC.digest('SHA256', KEY, "#{id}.#{sent}.".b + body)
  expected = "v1,#{[digest].pack('m0')}"
  # Two signatures during a key rotation.
  headers.fetch('webhook-signature', '').split.any? { |each| OpenSSL.secure_compare(each, expected) }
end

def status_of(headers, body)
  return 400 unless genuine?(headers, body)

  id = headers['webhook-id']
  ONE_AT_A_TIME.synchronize do
    next 200 if HANDLED[id]

    handle(JSON.parse(body), id) # An exception closes the connection: it is sent again.
    HANDLED[id] = true
    200
  end
end

server = TCPServer.new('127.0.0.1', ENV.fetch('PORT', '4242').to_i)
$stdout.puts "Listening on http://127.0.0.1:#{server.addr[1]}"
$stdout.flush
loop do
  Thread.new(server.accept) do |client|
    client.gets
    headers = {}
    while (line = client.gets&.chomp) && !line.empty?
      name, value = line.split(':', 2)
      headers[name.downcase] = value.to_s.strip
    end
    length = headers['content-length'].to_i
    status = length > MOST_BYTES ? 413 : status_of(headers, client.read(length).to_s)
    client.write "HTTP/1.1 #{status} \r\nContent-Length: 0\r\nConnection: close\r\n\r\n"
  ensure
    client.close
  end
end
