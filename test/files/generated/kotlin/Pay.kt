import java.net.URI
import kotlin.system.exitProcess
import org.openapitools.client.apis.TransactionsApi
import org.openapitools.client.infrastructure.ApiClient
import org.openapitools.client.infrastructure.ClientException
import org.openapitools.client.models.InitRequest

/** Collects once, refuses to do it twice, and prints the final status. */
fun main(args: Array<String>) {
  ApiClient.accessToken = args[1]
  val transactions = TransactionsApi(args[0])
  val back = URI("https://shop.example/back")
  val order =
      InitRequest("kotlin-1", "WALLETA_SN_CASHOUT", 5000, "771234567", back, back, back)
  val id = transactions.initTransaction(order).transaction.transactionId
  try {
    transactions.initTransaction(order)
    exitProcess(2)
  } catch (problem: ClientException) {
    if (problem.statusCode != 409) throw problem
  }
  var status = "PENDING"
  while (status == "PENDING" || status == "PROCESSING") {
    Thread.sleep(200)
    status = transactions.getTransaction(id).transaction.status
  }
  println(status)
  exitProcess(0)
}
