import java.net.URI;
import org.openapitools.client.ApiClient;
import org.openapitools.client.ApiException;
import org.openapitools.client.api.TransactionsApi;
import org.openapitools.client.auth.HttpBearerAuth;
import org.openapitools.client.model.InitRequest;

/** Collects once, refuses to do it twice, and prints the final status. */
public class Pay {
  public static void main(String[] args) throws Exception {
    ApiClient client = new ApiClient();
    client.setBasePath(args[0]);
    ((HttpBearerAuth) client.getAuthentication("apiKey")).setBearerToken(args[1]);
    TransactionsApi transactions = new TransactionsApi(client);
    URI back = URI.create("https://shop.example/back");
    InitRequest order =
        new InitRequest()
            .externalTransactionId("java-1")
            .serviceCode("WALLETA_SN_CASHOUT")
            .amount(5000)
            .number("771234567")
            .callBackURL(back)
            .successUrl(back)
            .failureUrl(back);
    String id = transactions.initTransaction(order, null).getTransaction().getTransactionId();
    try {
      transactions.initTransaction(order, null);
      System.exit(2);
    } catch (ApiException problem) {
      if (problem.getCode() != 409) throw problem;
    }
    String status = "PENDING";
    while (status.equals("PENDING") || status.equals("PROCESSING")) {
      Thread.sleep(200);
      status = transactions.getTransaction(id).getTransaction().getStatus();
    }
    System.out.println(status);
    System.exit(0);
  }
}
