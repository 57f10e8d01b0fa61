# Collects once, refuses to do it twice, and prints the final status.
require 'openapi_client'

url, key = ARGV
OpenapiClient.configure do |settings|
  settings.scheme = 'http'
  settings.host = url.delete_prefix('http://')
  settings.server_index = nil
  settings.access_token = key
end
transactions = OpenapiClient::TransactionsApi.new
back = 'https://shop.example/back'
order = OpenapiClient::InitRequest.new(
  external_transaction_id: 'ruby-1', service_code: 'WALLETA_SN_CASHOUT', amount: 5000,
  number: '771234567', call_back_url: back, success_url: back, failure_url: back
)
id = transactions.init_transaction(order).transaction.transaction_id
begin
  transactions.init_transaction(order)
  abort 'a second order was taken'
rescue OpenapiClient::ApiError => e
  raise unless e.code == 409
end
status = 'PENDING'
while %w[PENDING PROCESSING].include?(status)
  sleep 0.2
  status = transactions.get_transaction(id).transaction.status
end
puts status
